import type { Video } from './mp4.ts'
import { RefusedFile } from './refused.ts'

// WebM files are not decoded here. Their elements are checked, and what describes them (tags, attachments, chapters, title,
// date) becomes empty space of the same length, so that positions in the file stay right.

/** Elements in one file; a minute has about 4,000 blocks. */
const MAX_ELEMENTS = 400_000
const ID = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  track: 0xae,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  cluster: 0x1f43b675,
  cues: 0x1c53bb6b,
  seekHead: 0x114d9b74,
  void: 0xec,
  tags: 0x1254c367,
  attachments: 0x1941a469,
  chapters: 0x1043a770,
} as const
const CONTAINERS = new Set<number>([ID.header, ID.segment, ID.info, ID.tracks, ID.track, ID.video])
const DESCRIPTIONS = new Set<number>([
  ...[ID.tags, ID.attachments, ID.chapters],
  // Title, date, file names and unique numbers of a segment; name of a track.
  ...[0x7ba9, 0x4461, 0x7384, 0x3c83ab, 0x3e83bb, 0x73a4, 0x3cb923, 0x3eb923, 0x536e],
])
const IN_SEGMENT = new Set<number>([
  ...[ID.info, ID.tracks, ID.cluster, ID.cues, ID.seekHead, ID.void],
  ...[ID.tags, ID.attachments, ID.chapters],
])
/** A length of which all bits are set is not known: the element ends where the next of its level begins. */
const UNKNOWN = -1

type Element = {
  readonly id: number
  readonly at: number
  readonly body: number
  readonly end: number
  readonly parent: number
}

/** A copy of the file without descriptions. Throws RefusedFile for what is no WebM file, or has no picture. */
export function cleanWebm(original: Uint8Array): Video {
  const bytes = Uint8Array.from(original)
  const found = [...elementsIn(bytes)]
  const docType = found.find(({ id }) => id === ID.docType)
  if (found[0]?.id !== ID.header || !docType || textOf(bytes, docType) !== 'webm') {
    throw new RefusedFile('is no WebM video')
  }
  const numberIn = (wanted: number) => {
    const one = found.find(({ id, parent }) => id === wanted && parent === ID.video)
    return one ? numberOf(bytes, one) : 0
  }
  const [width, height] = [numberIn(ID.width), numberIn(ID.height)]
  if (width === 0 || height === 0) throw new RefusedFile('has no moving picture')
  if (!found.some(({ id }) => id === ID.cluster)) throw new RefusedFile('is cut off')
  for (const element of found) if (DESCRIPTIONS.has(element.id)) blank(bytes, element)
  return { bytes, width, height }
}

/** Elements of the levels that are looked at, in order. Clusters are stepped over. */
function* elementsIn(bytes: Uint8Array): Generator<Element> {
  let count = 0
  const ends: { id: number; end: number }[] = [{ id: 0, end: bytes.length }]
  for (let at = 0; at < bytes.length; ) {
    while (at >= ends.at(-1)!.end && ends.length > 1) ends.pop()
    count += 1
    if (count > MAX_ELEMENTS) throw new RefusedFile('has too many elements')
    const { id, body, length } = headOf(bytes, at)
    // One of the segment ends a cluster whose length is not known.
    if (IN_SEGMENT.has(id)) while (ends.at(-1)!.id === ID.cluster) ends.pop()
    const parent = ends.at(-1)!
    checkPlace(id, parent.id)
    const end = length === UNKNOWN ? parent.end : body + length
    if (length === UNKNOWN && id !== ID.segment && id !== ID.cluster)
      throw new RefusedFile('is cut off')
    if (end > parent.end) throw new RefusedFile('is cut off')
    yield { id, at, body, end, parent: parent.id }
    const isEntered = CONTAINERS.has(id) || (id === ID.cluster && length === UNKNOWN)
    if (isEntered) ends.push({ id, end })
    at = isEntered ? body : end
  }
}

function checkPlace(id: number, parent: number): void {
  const isRight =
    parent === 0
      ? id === ID.header || id === ID.segment || id === ID.void
      : parent !== ID.segment || IN_SEGMENT.has(id)
  if (!isRight) throw new RefusedFile(`has an unknown element ${id.toString(16)}`)
}

function headOf(bytes: Uint8Array, at: number): { id: number; body: number; length: number } {
  const idBytes = lengthOfNumber(bytes[at], 4)
  const sizeAt = at + idBytes
  const sizeBytes = lengthOfNumber(bytes[sizeAt], 8)
  const body = sizeAt + sizeBytes
  if (body > bytes.length) throw new RefusedFile('is cut off')
  const id = bytes.subarray(at, sizeAt).reduce((value, byte) => value * 256 + byte, 0)
  const first = bytes[sizeAt]! & (0xff >> sizeBytes)
  const rest = bytes.subarray(sizeAt + 1, body)
  const isUnknown = first === 0xff >> sizeBytes && rest.every((byte) => byte === 0xff)
  const length = isUnknown ? UNKNOWN : rest.reduce((value, byte) => value * 256 + byte, first)
  return { id, body, length }
}

/** Bytes of a number whose first byte says how long it is. */
function lengthOfNumber(first: number | undefined, most: number): number {
  const length = first === undefined ? most + 1 : Math.clz32(first) - 23
  if (length > most) throw new RefusedFile('is cut off')
  return length
}

const textOf = (bytes: Uint8Array, { body, end }: Element): string =>
  Buffer.from(bytes.subarray(body, end)).toString('latin1').replace(/\0+$/, '')

const numberOf = (bytes: Uint8Array, { body, end }: Element): number =>
  bytes.subarray(body, Math.min(end, body + 6)).reduce((value, byte) => value * 256 + byte, 0)

/** The element becomes empty space that ends where it did. */
function blank(bytes: Uint8Array, { at, end }: Element): void {
  const total = end - at
  bytes.fill(0, at, end)
  bytes[at] = ID.void
  const isLong = total > 64
  const length = total - (isLong ? 9 : 2)
  if (!isLong) {
    bytes[at + 1] = 0x80 | length
    return
  }
  bytes[at + 1] = 0x01
  for (let i = 0, rest = length; i < 7; i++, rest = Math.floor(rest / 256))
    bytes[at + 8 - i] = rest % 256
}
