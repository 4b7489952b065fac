import type { Video } from './mp4.ts'
import { RefusedFile } from './refused.ts'

// WebM files are not decoded here. A file of the same length is written that has the elements which are needed to play picture
// and sound, and empty space in place of everything else, so that positions in the file stay right: tags, names, dates,
// attachments, chapters, other tracks, and elements that are not known here.

/** Elements in one file; a minute has about 6,000 blocks. */
const MAX_ELEMENTS = 100_000
const ID = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timescale: 0x2ad7b1,
  duration: 0x4489,
  timestamp: 0xe7,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  video: 0xe0,
  audio: 0xe1,
  width: 0xb0,
  height: 0xba,
  cluster: 0x1f43b675,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  cues: 0x1c53bb6b,
  seekHead: 0x114d9b74,
  void: 0xec,
} as const
const FILE = 0

/** What is kept, by the element that contains it. Lists without elements of their own are kept whole. */
const KEPT = new Map<number, ReadonlySet<number>>([
  [FILE, new Set([ID.header, ID.segment])],
  [ID.segment, new Set([ID.seekHead, ID.info, ID.tracks, ID.cluster, ID.cues])],
  // Scale of times, duration, and two names that must be there: they become empty.
  [ID.info, new Set([ID.timescale, ID.duration, ID.muxingApp, ID.writingApp])],
  [ID.tracks, new Set([ID.track])],
  [
    ID.track,
    new Set([
      ...[ID.trackNumber, 0x73c5, ID.trackType, 0xb9, 0x88, 0x55aa, 0x9c, 0x6de7, 0x6df8, 0x23e383],
      // Codec and its settings, delays, language, encodings of the content.
      ...[0x234e7a, 0x23314f, 0x55ee, 0x86, 0x63a2, 0x56aa, 0x56bb, 0x22b59c, 0x6d80],
      ...[ID.video, ID.audio],
    ]),
  ],
  [
    ID.video,
    new Set([
      ...[ID.width, ID.height, 0x54b0, 0x54ba, 0x54b2, 0x54b3, 0x54aa, 0x54bb, 0x54cc, 0x54dd],
      // Interlacing, stereo, alpha, colours, projection.
      ...[0x9a, 0x9d, 0x53b8, 0x53c0, 0x2eb524, 0x55b0, 0x7670],
    ]),
  ],
  [ID.audio, new Set([0xb5, 0x78b5, 0x9f, 0x6264])],
  // Its time, its place, the length of the one before, and blocks.
  [ID.cluster, new Set([ID.timestamp, 0xa7, 0xab, ID.simpleBlock, ID.blockGroup])],
  // Its frames, additions such as alpha, duration, what it refers to, state of the codec, padding.
  [ID.blockGroup, new Set([ID.block, 0x75a1, 0x9b, 0xfb, 0xfa, 0xa4, 0x75a2])],
])
/** One of these ends a cluster whose length is not known. */
const IN_SEGMENT = new Set<number>([
  ...[ID.info, ID.tracks, ID.cluster, ID.cues, ID.seekHead],
  // Tags, attachments, chapters.
  ...[0x1254c367, 0x1941a469, 0x1043a770],
])
/** A length of which all bits are set is not known: the element ends where the next of its level begins. */
const UNKNOWN = -1

type Element = {
  readonly id: number
  readonly at: number
  readonly body: number
  readonly end: number
}

/** A copy of the file without descriptions. Throws RefusedFile for what is no WebM file, or has no picture. */
export function cleanWebm(original: Uint8Array): Video {
  const file = new WebmFile(original)
  const top = file.partsOf({ id: FILE, at: 0, body: 0, end: original.length })
  const [header] = top
  const docType =
    header?.id === ID.header && file.partsOf(header).find(({ id }) => id === ID.docType)
  if (!docType || file.textOf(docType) !== 'webm') throw new RefusedFile('is no WebM video')
  const inSegment = top.filter(({ id }) => id === ID.segment).flatMap((one) => file.partsOf(one))
  const size = sizeOf(file, inSegment)
  if (!inSegment.some(({ id }) => id === ID.cluster)) throw new RefusedFile('is cut off')
  const writer = new CleanWriter(file, playedTracks(file, inSegment))
  for (const element of top) writer.write(element, FILE)
  const durationMs = durationOf(file, inSegment)
  return { bytes: writer.bytes, ...size, durationMs, elements: file.count }
}

/** Nanoseconds of a tick, unless the file says another number. */
const USUAL_TIMESCALE = 1_000_000
const MS_NANOSECONDS = 1_000_000

/** As the file says it, which may be anything, or when the last block of a recording begins, of which nobody knew how long it would be. */
function durationOf(file: WebmFile, inSegment: readonly Element[]): number {
  const info = inSegment.filter(({ id }) => id === ID.info).flatMap((one) => file.partsOf(one))
  const scale = info.find(({ id }) => id === ID.timescale)
  const said = info.find(({ id }) => id === ID.duration)
  const ticks = (said && file.floatOf(said)) || endOfClusters(file, inSegment)
  return Math.round((ticks * (scale ? file.numberOf(scale) : USUAL_TIMESCALE)) / MS_NANOSECONDS)
}

function endOfClusters(file: WebmFile, inSegment: readonly Element[]): number {
  const cluster = inSegment.findLast(({ id }) => id === ID.cluster)
  const parts = cluster ? file.partsOf(cluster) : []
  const begin = parts.find(({ id }) => id === ID.timestamp)
  const blocks = parts.flatMap((part) =>
    part.id === ID.blockGroup ? file.partsOf(part).filter(({ id }) => id === ID.block) : part,
  )
  return blocks
    .filter(({ id }) => id === ID.simpleBlock || id === ID.block)
    .reduce((most, { body, end }) => {
      return Math.max(most, (begin ? file.numberOf(begin) : 0) + file.blockTime(body, end))
    }, 0)
}

const tracksOf = (file: WebmFile, inSegment: readonly Element[]): Element[] =>
  inSegment
    .filter(({ id }) => id === ID.tracks)
    .flatMap((tracks) => file.partsOf(tracks))
    .filter(({ id }) => id === ID.track)

function sizeOf(file: WebmFile, inSegment: readonly Element[]): { width: number; height: number } {
  const numbers = tracksOf(file, inSegment)
    .flatMap((track) => file.partsOf(track).filter(({ id }) => id === ID.video))
    .flatMap((video) => file.partsOf(video))
  const numberOf = (wanted: number) => {
    const found = numbers.find(({ id }) => id === wanted)
    return found ? file.numberOf(found) : 0
  }
  const [width, height] = [numberOf(ID.width), numberOf(ID.height)]
  if (width === 0 || height === 0) throw new RefusedFile('has no moving picture')
  return { width, height }
}

const TYPES = { video: 1, audio: 2 }

/** Tracks of picture and sound by where they are described, and their numbers. */
function playedTracks(file: WebmFile, inSegment: readonly Element[]) {
  const numbers = new Set<number>()
  const places = new Set<number>()
  for (const track of tracksOf(file, inSegment)) {
    const parts = file.partsOf(track)
    const numberIn = (wanted: number) => {
      const found = parts.find(({ id }) => id === wanted)
      return found && file.numberOf(found)
    }
    const guess = parts.some(({ id }) => id === ID.video) ? TYPES.video : 0
    const type = numberIn(ID.trackType) ?? guess
    if (type !== TYPES.video && type !== TYPES.audio) continue
    places.add(track.at)
    numbers.add(numberIn(ID.trackNumber) ?? 1)
  }
  return { numbers, places }
}

class CleanWriter {
  readonly bytes: Uint8Array
  readonly #file: WebmFile
  readonly #played: ReturnType<typeof playedTracks>

  constructor(file: WebmFile, played: ReturnType<typeof playedTracks>) {
    this.#file = file
    this.bytes = new Uint8Array(file.bytes.length)
    this.#played = played
  }

  /** Writes an element as it is, without what describes, or as empty space. */
  write(element: Element, parent: number): void {
    const { id, at, body, end } = element
    if (!KEPT.get(parent)!.has(id) || this.#isOfOtherTrack(element)) {
      this.#blank(element)
      return
    }
    const isList = KEPT.has(id)
    const isName = id === ID.muxingApp || id === ID.writingApp
    this.#copy(at, isList || isName ? body : end)
    if (isList) for (const part of this.#file.partsOf(element)) this.write(part, id)
  }

  #copy(from: number, to: number): void {
    this.bytes.set(this.#file.bytes.subarray(from, to), from)
  }

  #isOfOtherTrack({ id, at, body, end }: Element): boolean {
    if (id === ID.track) return !this.#played.places.has(at)
    if (id === ID.simpleBlock) return !this.#isPlayed(body)
    if (id !== ID.blockGroup) return false
    const block = this.#file.partsOf({ id, at, body, end }).find((part) => part.id === ID.block)
    return !block || !this.#isPlayed(block.body)
  }

  /** A block begins with the number of its track. */
  #isPlayed(body: number): boolean {
    return this.#played.numbers.has(this.#file.trackNumberAt(body))
  }

  /** Empty space that ends where the element did. */
  #blank({ at, end }: Element): void {
    const total = end - at
    this.bytes[at] = ID.void
    if (total <= 64) {
      this.bytes[at + 1] = 0x80 | (total - 2)
      return
    }
    this.bytes[at + 1] = 0x01
    let rest = total - 9
    for (let i = 8; i > 1; i--, rest = Math.floor(rest / 256)) this.bytes[at + i] = rest % 256
  }
}

class WebmFile {
  readonly bytes: Uint8Array
  /** Elements that were read. */
  count = 0
  /** Lists are read twice: what a file is, and when it is written. */
  readonly #parts = new Map<number, Element[]>()

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  partsOf(list: Element): Element[] {
    // A list and its first element may begin at the same place, their contents do not.
    return this.#parts.getOrInsertComputed(list.id === FILE ? -1 : list.body, () =>
      this.#read(list),
    )
  }

  #read({ id, body, end }: Element): Element[] {
    const found: Element[] = []
    for (let at = body; at < end; at = found.at(-1)!.end) found.push(this.#elementAt(at, id, end))
    return found
  }

  #elementAt(at: number, parent: number, most: number): Element {
    this.count += 1
    if (this.count > MAX_ELEMENTS) throw new RefusedFile('has too many elements')
    const { id, body, length } = this.#headAt(at)
    if (length !== UNKNOWN) {
      if (body + length > most) throw new RefusedFile('is cut off')
      return { id, at, body, end: body + length }
    }
    if (id === ID.segment && parent === FILE) return { id, at, body, end: most }
    if (id === ID.cluster && parent === ID.segment) {
      return { id, at, body, end: this.#endOfCluster(body, most) }
    }
    throw new RefusedFile('is cut off')
  }

  /** Where the next element of the segment begins. */
  #endOfCluster(body: number, most: number): number {
    for (let at = body; at < most; ) {
      this.count += 1
      if (this.count > MAX_ELEMENTS) throw new RefusedFile('has too many elements')
      const head = this.#headAt(at)
      if (IN_SEGMENT.has(head.id)) return at
      if (head.length === UNKNOWN || head.body + head.length > most)
        throw new RefusedFile('is cut off')
      at = head.body + head.length
    }
    return most
  }

  #headAt(at: number): { id: number; body: number; length: number } {
    const idBytes = this.#lengthOfNumber(at, 4)
    const sizeAt = at + idBytes
    const sizeBytes = this.#lengthOfNumber(sizeAt, 8)
    const body = sizeAt + sizeBytes
    if (body > this.bytes.length) throw new RefusedFile('is cut off')
    let id = 0
    for (let i = at; i < sizeAt; i++) id = id * 256 + this.bytes[i]!
    const first = this.bytes[sizeAt]! & (0xff >> sizeBytes)
    let length = first
    let isUnknown = first === 0xff >> sizeBytes
    for (let i = sizeAt + 1; i < body; i++) {
      length = length * 256 + this.bytes[i]!
      isUnknown &&= this.bytes[i] === 0xff
    }
    return { id, body, length: isUnknown ? UNKNOWN : length }
  }

  /** Bytes of a number whose first byte says how long it is. */
  #lengthOfNumber(at: number, most: number): number {
    const first = this.bytes[at]
    const length = first === undefined ? most + 1 : Math.clz32(first) - 23
    if (length > most) throw new RefusedFile('is cut off')
    return length
  }

  /** When a block is shown, after its cluster begins: behind the number of its track. */
  blockTime(body: number, end: number): number {
    const at = body + this.#lengthOfNumber(body, 8)
    return at + 2 > end
      ? 0
      : new DataView(this.bytes.buffer, this.bytes.byteOffset + at).getInt16(0)
  }

  floatOf({ body, end }: Element): number {
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + body, end - body)
    if (end - body === 4) return view.getFloat32(0)
    return end - body === 8 ? view.getFloat64(0) : 0
  }

  trackNumberAt(at: number): number {
    const length = this.#lengthOfNumber(at, 8)
    let number = this.bytes[at]! & (0xff >> length)
    for (let i = at + 1; i < at + length; i++) number = number * 256 + this.bytes[i]!
    return number
  }

  textOf({ body, end }: Element): string {
    return Buffer.from(this.bytes.subarray(body, end)).toString('latin1').replace(/\0+$/, '')
  }

  numberOf({ body, end }: Element): number {
    let number = 0
    for (let i = body; i < Math.min(end, body + 6); i++) number = number * 256 + this.bytes[i]!
    return number
  }
}
