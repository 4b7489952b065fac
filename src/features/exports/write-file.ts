import { join } from 'node:path'
import { flush } from '../../kernel/base/flush.ts'
import { describeFile } from '../../kernel/storage/backup.ts'
import { BY_FID, type Format, openFile } from './formats.ts'
import { rowOf } from './message-rows.ts'
import { messageAt, type PackedMessages } from './packed.ts'
import type { ExportedFile } from './sink.ts'
import { type Row, type TableName, tableOf } from './tables.ts'

const ROWS_AT_ONCE = 50

/** A file that is to be written whole. */
export type FileOrder = {
  readonly directory: string
  readonly name: string
  readonly format: Format
  readonly table: TableName
  readonly messages: PackedMessages
  /** After those of the messages. */
  readonly rows: readonly Row[]
}

export type FileAnswer =
  | { readonly file: ExportedFile }
  | { readonly failure: Pick<NodeJS.ErrnoException, 'message' | 'code' | 'path'> }

/** Returns when the file is on the disk. */
export const writeFile = (order: FileOrder): Promise<ExportedFile> => {
  const path = join(order.directory, order.name)
  return namingFile(path, () => writeRows(order, path))
}

/** Errors of the system get the path of the file: Node leaves it out once the file is open. */
export async function namingFile<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const { code, path: named } = error as NodeJS.ErrnoException
    throw code === undefined || named !== undefined
      ? error
      : Object.assign(error as Error, { path })
  }
}

/** Rows are made some at a time: those of a whole file take much memory. */
async function writeRows(order: FileOrder, path: string): Promise<ExportedFile> {
  const { directory, name, format, table } = order
  const file = openFile[format](path, tableOf(table))
  const places = placesOf(order)
  let rows = 0
  for (let from = 0; from < places.length; from += ROWS_AT_ONCE) {
    const group = places.slice(from, from + ROWS_AT_ONCE).map((place) => rowAt(order, place))
    const present = group.filter((row) => row !== undefined)
    file.write(present)
    rows += present.length
  }
  file.finish()
  await flush(path)
  return { ...(await describeFile(directory, name)), rows }
}

/** A message that has no row has no content any more. */
function rowAt({ messages, rows }: FileOrder, place: number): Row | undefined {
  const count = messages.ids.length
  return place < count ? rowOf(messageAt(messages, place)) : rows[place - count]
}

/** Places of messages and then of rows, in the order that they have in the file. */
function placesOf({ format, messages, rows }: FileOrder): number[] {
  const fids = [...messages.fids, ...rows.map(({ fid }) => fid as number)]
  const places = fids.map((_, place) => place)
  return BY_FID.has(format) ? places.sort((a, b) => fids[a]! - fids[b]! || a - b) : places
}
