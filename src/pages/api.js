// api.js: the server's JSON.  Every failure is an Error with the server's words.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Sent with every request; pages may add to them. */
export const always = { "X-Belay": "1" };

async function ask(method, path, body, options = {}) {
  const headers = { ...always };
  if (body !== undefined && !options.is_text) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, body: body === undefined || options.is_text ? body : JSON.stringify(body), signal: options.signal });
  const text = await response.text();
  let value;
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    value = { message: text };
  }
  if (!response.ok) throw new Refused(response.status, value.message ?? `the server answered ${response.status}`);
  return value;
}

export const get = (path, options) => ask("GET", path, undefined, options);
export const post = (path, body, options) => ask("POST", path, body ?? {}, options);
export const put = (path, body) => ask("PUT", path, body);
export const put_text = (path, text) => ask("PUT", path, text, { is_text: true });
export const remove = (path) => ask("DELETE", path);
