// rulebook.js: a rulebook's text with another mode or level; comments and layout stay.

const quoted = (text) => (text === "off" ? '"off"' : text);
const pattern = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The lines of text, and where its top-level key is; -1: nowhere. */
function find(text, key) {
  const lines = text.split("\n");
  return [lines, lines.findIndex((line) => line.startsWith(`${key}:`))];
}

function with_end(text, addition) {
  return `${text}${text && !text.endsWith("\n") ? "\n" : ""}${text ? "\n" : ""}${addition}\n`;
}

export function with_level(text, level) {
  const [lines, at] = find(text, "level");
  if (at < 0) return with_end(text, `level: ${quoted(level)}`);
  const comment = lines[at].match(/\s+#.*$/)?.[0] ?? "";
  lines[at] = `level: ${quoted(level)}${comment}`;
  return lines.join("\n");
}

/** modes: {a: b} in one line. */
function with_mode_in_line(line, rule, mode) {
  const entry = new RegExp(`([{,]\\s*"?${pattern(rule)}"?\\s*:\\s*)("?\\w+"?)`);
  if (entry.test(line)) return line.replace(entry, `$1${quoted(mode)}`);
  const end = line.lastIndexOf("}");
  return `${line.slice(0, end)}${/\{\s*$/.test(line.slice(0, end)) ? "" : ", "}${rule}: ${quoted(mode)}${line.slice(end)}`;
}

export function with_mode(text, rule, mode) {
  const [lines, at] = find(text, "modes");
  if (at < 0) return with_end(text, `modes:\n  ${rule}: ${quoted(mode)}`);
  if (lines[at].includes("{")) {
    lines[at] = with_mode_in_line(lines[at], rule, mode);
    return lines.join("\n");
  }
  const entry = new RegExp(`^(\\s+"?${pattern(rule)}"?\\s*:\\s*)("?\\w+"?)`);
  let last = at;
  for (let i = at + 1; i < lines.length && !/^[^\s#]/.test(lines[i]); i++) {
    if (entry.test(lines[i])) {
      lines[i] = lines[i].replace(entry, `$1${quoted(mode)}`);
      return lines.join("\n");
    }
    if (/^\s+[^\s#]/.test(lines[i])) last = i;
  }
  const indent = last > at ? lines[last].match(/^\s+/)[0] : "  ";
  lines.splice(last + 1, 0, `${indent}${rule}: ${quoted(mode)}`);
  return lines.join("\n");
}
