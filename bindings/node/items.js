// SPDX-License-Identifier: Apache-2.0
// Values in a form that the native module reads in half the time of JSON.stringify and
// the reading of its text.  What is not plain (toJSON, undefined, classes, much text)
// is left to those.
//
// A value is one word: its kind (rego.h) and, KINDS times, its size, or the integer.
// Texts are one string, one behind the other; an array's or object's members are behind
// it.
'use strict';

const MAX_ITEMS = 1024; // as in native/rego.c, and the two below
const MAX_TEXT = 16384;
const KINDS = 8;
const words = new Int32Array(MAX_ITEMS);
const MAX_DEPTH = 64;
const NULL = 0, BOOLEAN = 1, INTEGER = 2, NUMBER = 3, TEXT = 4, ARRAY = 5, OBJECT = 6;
let end = 0; // of the words; what lies beyond their own end is not written: write sees it
let texts = '';
let isBusy = false; // a getter may ask, too

// Each function below returns whether the value is plain.
function putText(kind, text) {
  words[end++] = kind + KINDS * text.length;
  texts += text;
  return texts.length <= MAX_TEXT;
}

function putNumber(number) {
  if (number === (number << 3) >> 3) {
    words[end++] = INTEGER + KINDS * number;
    return true;
  }
  if (Number.isFinite(number)) return putText(NUMBER, String(number));
  words[end++] = NULL; // as in JSON
  return true;
}

function putArray(array, depth) {
  const own = end++;
  let count = 0;
  for (; count < array.length; count++) {
    if (!put(array[count], depth)) return false;
  }
  words[own] = ARRAY + KINDS * count;
  return true;
}

function putObject(object, depth) {
  const own = end++;
  let count = 0;
  for (const key in object) {
    if (!putText(TEXT, key) || !put(object[key], depth)) return false;
    count++;
  }
  words[own] = OBJECT + KINDS * count;
  return true;
}

function put(value, depth) {
  if (end >= MAX_ITEMS) return false;
  switch (typeof value) {
    case 'string':
      return putText(TEXT, value);
    case 'boolean':
      words[end++] = BOOLEAN + (value ? KINDS : 0);
      return true;
    case 'number':
      return putNumber(value);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) {
    words[end++] = NULL;
    return true;
  }
  if (depth === MAX_DEPTH || value.toJSON !== undefined) return false;
  if (Array.isArray(value)) return putArray(value, depth + 1);
  return Object.getPrototypeOf(value) === Object.prototype && putObject(value, depth + 1);
}

function isPlain(value) {
  for (const _ in Object.prototype) return false; // for-in would find it in every object
  isBusy = true;
  end = 0;
  texts = '';
  try {
    return put(value, 0) && end <= MAX_ITEMS;
  } finally {
    isBusy = false;
  }
}

// What ask gives for value, or undefined: then JSON.stringify has to be asked.
const askFor = (ask, value) => (!isBusy && isPlain(value) ? ask(end, texts) : undefined);

module.exports = { words, askFor };
