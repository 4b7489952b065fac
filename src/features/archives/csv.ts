// RFC 4180, in UTF-8 with a byte order mark, without which spreadsheets read another encoding.

const BYTE_ORDER_MARK = '\ufeff'
/** Spreadsheets take a cell that begins so for a formula, also after spaces. */
const FORMULA = /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** One row. An apostrophe before a cell that begins like a formula makes spreadsheets read it as text. */
const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A table of named columns. */
export async function* csvOf<T>(
  items: AsyncIterable<T>,
  columns: Readonly<Record<string, (item: T) => string | undefined>>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvRow(Object.keys(columns))
  const cells = Object.values(columns)
  for await (const item of items) yield csvRow(cells.map((cell) => cell(item) ?? ''))
}
