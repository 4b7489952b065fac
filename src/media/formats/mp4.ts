import { RefusedFile } from './refused.ts'

// MP4 files are not decoded here. Their boxes are checked, and everything that does not belong to playing picture and sound is
// overwritten with zeros in place, so that positions in the file stay right: names, places, times and other tracks.

/** Boxes in one file, and how deep they may be in each other. */
const MAX_BOXES = 20_000
const MAX_DEPTH = 10
const HEADER_BYTES = 8
const LARGE_HEADER_BYTES = 16
/** Kinds of MP4 files that browsers play; others may be pictures or documents. */
const BRANDS = /^(?:isom|iso[2-9]|avc1|mp4[12]|M4V |M4VH|M4VP|dash|MSNV|f4v |qt {2})$/

/** Boxes of the file, and of boxes that contain others, that are kept. */
const TOP = new Set([
  'ftyp',
  'moov',
  'mdat',
  'moof',
  'sidx',
  'styp',
  'mfra',
  'tfra',
  'mfro',
  'free',
])
const CONTAINERS = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'dinf',
  'edts',
  'mvex',
  'moof',
  'traf',
  'mfra',
])
/** What describes, and is not needed to play. */
const DESCRIPTIONS = new Set([
  'udta',
  'meta',
  'uuid',
  'skip',
  'free',
  'wide',
  'pnot',
  'tref',
  'ainf',
  'cprt',
])
/** Boxes that begin with a version, flags and two times. */
const WITH_TIMES = new Set(['mvhd', 'tkhd', 'mdhd'])
const PLAYED = new Set(['vide', 'soun'])

type Box = {
  readonly type: string
  readonly at: number
  readonly body: number
  readonly end: number
  readonly parts: readonly Box[]
}

export type Video = { readonly bytes: Uint8Array; readonly width: number; readonly height: number }

/** A copy of the file without metadata. Throws RefusedFile for what is no MP4 file, or has no picture. */
export function cleanMp4(original: Uint8Array): Video {
  const bytes = Uint8Array.from(original)
  const file = new BoxReader(bytes)
  const boxes = file.read(0, bytes.length, 0)
  checkTop(bytes, boxes)
  const tracks = boxes
    .filter(({ type }) => type === 'moov')
    .flatMap(({ parts }) => parts.filter(({ type }) => type === 'trak'))
  const others = tracks.filter((track) => !PLAYED.has(handlerOf(bytes, track)))
  const pictures = tracks.filter((track) => handlerOf(bytes, track) === 'vide')
  if (pictures.length === 0) throw new RefusedFile('has no moving picture')
  if (others.length > 0 && boxes.some(({ type }) => type === 'moof')) {
    throw new RefusedFile('has tracks beside picture and sound in fragments')
  }
  blankSamples(bytes, others)
  const size = sizeOf(bytes, pictures[0]!)
  for (const track of others) blank(bytes, track)
  eachBox(boxes, (box) => {
    if (DESCRIPTIONS.has(box.type)) blank(bytes, box)
    else if (WITH_TIMES.has(box.type)) blankTimes(bytes, box)
  })
  return { bytes, ...size }
}

class BoxReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #count = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  read(from: number, end: number, depth: number): Box[] {
    if (depth > MAX_DEPTH) throw new RefusedFile('has boxes that are too deep')
    const boxes: Box[] = []
    for (let at = from; at < end; ) {
      const box = this.#boxAt(at, end, depth)
      boxes.push(box)
      at = box.end
    }
    return boxes
  }

  #boxAt(at: number, end: number, depth: number): Box {
    this.#count += 1
    if (this.#count > MAX_BOXES) throw new RefusedFile('has too many boxes')
    if (at + HEADER_BYTES > end) throw new RefusedFile('is cut off')
    const type = textAt(this.#bytes, at + 4)
    let length = this.#view.getUint32(at)
    let body = at + HEADER_BYTES
    if (length === 1) {
      if (at + LARGE_HEADER_BYTES > end) throw new RefusedFile('is cut off')
      length = Number(this.#view.getBigUint64(at + HEADER_BYTES))
      body = at + LARGE_HEADER_BYTES
    } else if (length === 0) length = end - at
    if (at + length > end || at + length < body) throw new RefusedFile('is cut off')
    const parts = CONTAINERS.has(type) ? this.read(body, at + length, depth + 1) : []
    return { type, at, body, end: at + length, parts }
  }
}

function checkTop(bytes: Uint8Array, boxes: readonly Box[]): void {
  const [first] = boxes
  if (first?.type !== 'ftyp' || !BRANDS.test(textAt(bytes, first.body))) {
    throw new RefusedFile('is no MP4 video')
  }
  for (const { type } of boxes) {
    if (!TOP.has(type) && !DESCRIPTIONS.has(type))
      throw new RefusedFile(`has an unknown box ${JSON.stringify(type)}`)
  }
  if (!boxes.some(({ type }) => type === 'moov')) throw new RefusedFile('is cut off')
}

function eachBox(boxes: readonly Box[], visit: (box: Box) => void): void {
  for (const box of boxes) {
    visit(box)
    eachBox(box.parts, visit)
  }
}

const textAt = (bytes: Uint8Array, at: number): string =>
  Buffer.from(bytes.subarray(at, at + 4)).toString('latin1')

const partOf = (box: Box, ...path: readonly string[]): Box | undefined =>
  path.reduce<Box | undefined>((found, type) => found?.parts.find((one) => one.type === type), box)

/** What a track is: `vide`, `soun` or another. */
function handlerOf(bytes: Uint8Array, track: Box): string {
  const handler = partOf(track, 'mdia', 'hdlr')
  return handler && handler.end >= handler.body + 12 ? textAt(bytes, handler.body + 8) : ''
}

/** The box becomes free space of the same length. */
function blank(bytes: Uint8Array, { at, body, end }: Box): void {
  bytes.set(Buffer.from('free'), at + 4)
  bytes.fill(0, body, end)
}

function blankTimes(bytes: Uint8Array, { body, end }: Box): void {
  const length = bytes[body] === 1 ? 16 : 8
  bytes.fill(0, body + 4, Math.min(end, body + 4 + length))
}

/** Samples lie beside each other, so those of all tracks are no longer than the file. Lists that say otherwise take too long. */
function blankSamples(bytes: Uint8Array, tracks: readonly Box[]): void {
  let blanked = 0
  for (const track of tracks) {
    for (const [from, to] of samplesOf(bytes, track)) {
      const end = Math.min(to, bytes.length)
      blanked += Math.max(0, end - from)
      if (blanked > bytes.length) throw new RefusedFile('has samples on top of each other')
      bytes.fill(0, from, end)
    }
  }
}

/** Width and height are the last numbers of the header of a track, in 16.16 fixed point. */
function sizeOf(bytes: Uint8Array, track: Box): { width: number; height: number } {
  const header = partOf(track, 'tkhd')
  if (!header || header.end - header.body < 84) throw new RefusedFile('is cut off')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return { width: view.getUint16(header.end - 8), height: view.getUint16(header.end - 4) }
}

/** Where the samples of a track are in the file. */
function* samplesOf(bytes: Uint8Array, track: Box): Generator<[from: number, to: number]> {
  const tables = ['stsz', 'stsc', 'stco', 'co64'].map((type) =>
    partOf(track, 'mdia', 'minf', 'stbl', type),
  )
  const [sizes, perChunk, offsets, largeOffsets] = tables
  const chunks = offsets ?? largeOffsets
  if (!sizes || !perChunk || !chunks)
    throw new RefusedFile('has a track without a list of its samples')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const entries = (box: Box, at: number, entryBytes: number) =>
    Math.min(view.getUint32(at), Math.floor((box.end - at - 4) / entryBytes))
  const same = view.getUint32(sizes.body + 4)
  const sampleCount = same ? view.getUint32(sizes.body + 8) : entries(sizes, sizes.body + 8, 4)
  const chunkCount = entries(chunks, chunks.body + 4, largeOffsets ? 8 : 4)
  const runs = entries(perChunk, perChunk.body + 4, 12)
  let sample = 0
  let run = 0
  for (let chunk = 1; chunk <= chunkCount && sample < sampleCount; chunk++) {
    const first = (index: number) => view.getUint32(perChunk.body + 8 + index * 12)
    while (run + 1 < runs && first(run + 1) <= chunk) run += 1
    const count = runs === 0 ? 0 : view.getUint32(perChunk.body + 12 + run * 12)
    const at = chunks.body + 8 + (chunk - 1) * (largeOffsets ? 8 : 4)
    const from = largeOffsets ? Number(view.getBigUint64(at)) : view.getUint32(at)
    const after = Math.min(sample + count, sampleCount)
    let length = same * (after - sample)
    if (!same)
      for (; sample < after; sample++) length += view.getUint32(sizes.body + 12 + sample * 4)
    sample = after
    yield [from, from + length]
  }
}
