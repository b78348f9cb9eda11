// SPDX-License-Identifier: Apache-2.0
// Values in memory that the native module reads where it is, in half the time of
// JSON.stringify and the reading of its text.  What is not plain (text beyond ASCII,
// toJSON, undefined, classes) is left to those.
//
// A value is two words: its kind (rego.h) and, times KINDS, its size; then where its
// text begins in bytes, or the integer.  An array's or object's members are behind it.
'use strict';

const MAX_ITEMS = 1024; // as in native/rego.c
const KINDS = 8;
const words = new Int32Array(2 * MAX_ITEMS);
const bytes = new Uint8Array(16384);
const MAX_DEPTH = 64;
const NULL = 0, BOOLEAN = 1, INTEGER = 2, NUMBER = 3, TEXT = 4, ARRAY = 5, OBJECT = 6;
let end = 0; // of the words
let filled = 0; // of bytes
let isBusy = false; // a getter may ask, too

// What lies beyond the end of words is not written; write sees it.
// Each function below returns whether the value is plain, and there is room.
function putText(kind, text) {
  const size = text.length;
  const from = filled;
  if (size > bytes.length - from) return false;
  for (let i = 0; i < size; i++) {
    const c = text.charCodeAt(i);
    if (c >= 128) return false;
    bytes[from + i] = c;
  }
  filled = from + size;
  words[end++] = kind + KINDS * size;
  words[end++] = from;
  return true;
}

function putNumber(number) {
  if (number !== (number | 0) && Number.isFinite(number)) return putText(NUMBER, String(number));
  words[end++] = number === (number | 0) ? INTEGER : NULL; // as in JSON
  words[end++] = number;
  return true;
}

function putArray(array, depth) {
  const own = end;
  let count = 0;
  end += 2;
  for (; count < array.length; count++) {
    if (!putValue(array[count], depth)) return false;
  }
  words[own] = ARRAY + KINDS * count;
  return true;
}

function putObject(object, depth) {
  const own = end;
  let count = 0;
  end += 2;
  for (const key in object) {
    if (!putText(TEXT, key) || !putValue(object[key], depth)) return false;
    count++;
  }
  words[own] = OBJECT + KINDS * count;
  return true;
}

function putValue(value, depth) {
  if (end >= words.length) return false;
  switch (typeof value) {
    case 'string':
      return putText(TEXT, value);
    case 'boolean':
      words[end++] = BOOLEAN;
      words[end++] = value ? 1 : 0;
      return true;
    case 'number':
      return putNumber(value);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) {
    words[end] = NULL;
    end += 2;
    return true;
  }
  if (depth === MAX_DEPTH || value.toJSON !== undefined) return false;
  if (Array.isArray(value)) return putArray(value, depth + 1);
  return Object.getPrototypeOf(value) === Object.prototype && putObject(value, depth + 1);
}

// How many items of value are in words now; -1: ask JSON.stringify.
function write(value) {
  if (isBusy) return -1;
  for (const _ in Object.prototype) return -1; // for-in would find it in every object
  isBusy = true;
  end = filled = 0;
  try {
    return putValue(value, 0) && end <= words.length ? end / 2 : -1;
  } finally {
    isBusy = false;
  }
}

module.exports = { words, bytes, write };
