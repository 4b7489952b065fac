import { RefusedFile } from './refused.ts'

// The boxes of an MP4 file: a type, a length and a content, which may be other boxes.

/** Boxes in one file, and how deep they may be in each other. */
const MAX_BOXES = 20_000
const MAX_DEPTH = 10
export const HEADER_BYTES = 8
const LARGE_HEADER_BYTES = 16
const CONTAINERS = new Set([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts', 'mvex'],
  ...['moof', 'traf', 'mfra'],
])

export type Box = {
  readonly type: string
  readonly at: number
  readonly body: number
  readonly end: number
  readonly parts: readonly Box[]
}

/** The bytes of a file and its boxes. */
export class BoxFile {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly boxes: readonly Box[]
  /** Where the last box ends: programs leave zeros behind it. */
  readonly end: number
  #count = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.boxes = this.#read(0, bytes.length, 0)
    this.end = this.boxes.at(-1)?.end ?? 0
  }

  /** Four characters. */
  textAt(at: number): string {
    return Buffer.from(this.bytes.subarray(at, at + 4)).toString('latin1')
  }

  #read(from: number, end: number, depth: number): Box[] {
    if (depth > MAX_DEPTH) throw new RefusedFile('has boxes that are too deep')
    const boxes: Box[] = []
    for (let at = from; at < end; at = boxes.at(-1)!.end) {
      if (depth === 0 && at > 0 && this.#isZeroFrom(at)) break
      boxes.push(this.#boxAt(at, end, depth))
    }
    return boxes
  }

  #isZeroFrom(at: number): boolean {
    return this.bytes[at] === 0 && this.bytes.subarray(at).every((byte) => byte === 0)
  }

  #boxAt(at: number, end: number, depth: number): Box {
    this.#count += 1
    if (this.#count > MAX_BOXES) throw new RefusedFile('has too many boxes')
    if (at + HEADER_BYTES > end) throw new RefusedFile('is cut off')
    const type = this.textAt(at + 4)
    let length = this.view.getUint32(at)
    let body = at + HEADER_BYTES
    if (length === 1) {
      if (at + LARGE_HEADER_BYTES > end) throw new RefusedFile('is cut off')
      length = Number(this.view.getBigUint64(at + HEADER_BYTES))
      body = at + LARGE_HEADER_BYTES
    } else if (length === 0) length = end - at
    if (at + length > end || at + length < body) throw new RefusedFile('is cut off')
    const parts = CONTAINERS.has(type) ? this.#read(body, at + length, depth + 1) : []
    return { type, at, body, end: at + length, parts }
  }
}

export const partOf = (box: Box, ...path: readonly string[]): Box | undefined =>
  path.reduce<Box | undefined>((found, type) => found?.parts.find((one) => one.type === type), box)
