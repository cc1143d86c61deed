"use strict";

/** What a person can put right; its message is shown as it is. */
class Mistake extends Error {}

const NO_VALUE = new Set(["", "na", "n/a", "#n/a", "nan", "-nan", "<na>", "null", "none", "?"]);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Split a text into rows of cells; a cell in quotes may hold separators, line ends and doubled quotes. */
function splitCells(text, separator) {
  const rows = [];
  let row = [], cell = "", quoted = false, closed = false;
  const endCell = () => {
    row.push(closed ? cell : cell.trim());
    cell = "";
    closed = false;
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') cell += text[++at];
      else [quoted, closed] = [false, true];
    } else if (sign === '"' && cell.trim() === "" && !closed) [quoted, cell] = [true, ""];
    else if (sign === separator) endCell();
    else if (sign === "\n" || (sign === "\r" && text[at + 1] !== "\n")) endRow();
    else if (sign !== "\r" && !(closed && sign.trim() === "")) cell += sign;
  }
  if (quoted) throw new Mistake('A quote (") is opened and never closed: close it, or remove it.');
  endRow();
  return rows;
}

/** Read a table whose header names features; the separator is the one that finds most of them. */
function readTable(text, features) {
  const known = new Set(features);
  const clean = text.replace(/^\uFEFF/, "");
  const firstLine = clean.trimStart().split(/\r|\n/, 1)[0];
  let best = null;
  for (const separator of [",", ";", "\t"]) {
    let header;
    try {
      [header = []] = splitCells(firstLine, separator);
    } catch {
      continue;
    }
    const found = header.filter((name) => known.has(name)).length;
    if (!best || found > best.found || (found === best.found && header.length > best.columns))
      best = { separator, found, columns: header.length };
  }
  const separator = best ? best.separator : ",";
  const [header, ...rows] = splitCells(clean, separator);
  if (!header) throw new Mistake("The table is empty: give a line with the names of the columns, and rows below it.");
  rows.forEach((row, at) => {
    if (row.length !== header.length)
      throw new Mistake(`Row ${at + 1} has ${row.length} cells, but there are ${header.length} columns.`);
  });
  return { header, rows, separator, others: header.filter((name) => !known.has(name)) };
}

/** Give the columns of some features as rows of numbers, NaN where a value is missing. */
function numbersOf(table, names) {
  const places = names.map((name) => table.header.indexOf(name));
  names.forEach((name, at) => {
    if (table.header.indexOf(name, places[at] + 1) >= 0)
      throw new Mistake(`The column '${name}' is there more than once: keep one of them.`);
  });
  const cells = table.rows.map((row) => places.map((place) => row[place].trim()));
  // 3,14 is a number only where no cell has a decimal point and the comma does not separate cells.
  const commas = table.separator !== "," && !cells.some((row) => row.some((cell) => /^[+-]?\d*\.\d/.test(cell)));
  return cells.map((row, at) => row.map((cell, column) => {
    if (NO_VALUE.has(cell.toLowerCase())) return NaN;
    const written = commas ? cell.replace(",", ".") : cell;
    const value = NUMBER.test(written) ? Number(written) : Infinity;
    if (!Number.isFinite(Math.fround(value)))
      throw new Mistake(`Row ${at + 1} of the column '${names[column]}' has '${cell}', which is not a number.`);
    return value;
  }));
}

/** Write a table as CSV. */
function writeTable(rows) {
  const written = (cell) => /[",;\r\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
  return rows.map((row) => row.map(written).join(",") + "\r\n").join("");
}
