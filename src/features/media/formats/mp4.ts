import { type Box, BoxFile, HEADER_BYTES, partOf } from './mp4-boxes.ts'
import { codingOf, durationOf } from './mp4-facts.ts'
import { type Bytes, handlerOf, samplesOf, samplesOfFragment, trackIdOf } from './mp4-samples.ts'
import { RefusedFile } from './refused.ts'

// MP4 files are not decoded here. A file of the same length is written that has what is needed to play picture and sound, and
// zeros in place of everything else, so that positions in the file stay right: names, places, times, other tracks, what lies
// between samples, and boxes that are not known here.

/** Kinds of MP4 files that browsers play; others may be pictures or documents. */
const BRANDS =
  /^(?:isom|iso[2-9a-c]|avc1|av01|hvc1|mp4[12]|mp71|M4V |M4VH|M4VP|dash|msdh|cmf[c2]|MSNV|XAVC|f4v |isml|piff|qt {2}|3g[2p].)$/

/** What is kept, by the box that contains it. Everything else becomes free space. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  file: ['ftyp', 'moov', 'mdat', 'moof', 'sidx', 'styp', 'mfra'],
  moov: ['mvhd', 'trak', 'mvex'],
  trak: ['tkhd', 'edts', 'mdia'],
  edts: ['elst'],
  mdia: ['mdhd', 'hdlr', 'minf'],
  minf: ['vmhd', 'smhd', 'hdlr', 'dinf', 'stbl'],
  dinf: ['dref'],
  stbl: [
    ...['stsd', 'stts', 'ctts', 'cslg', 'stss', 'stps', 'stsz', 'stz2', 'stsc', 'stco', 'co64'],
    ...['sdtp', 'sbgp', 'sgpd'],
  ],
  mvex: ['mehd', 'trex'],
  moof: ['mfhd', 'traf'],
  traf: ['tfhd', 'tfdt', 'trun', 'sdtp', 'sbgp', 'sgpd'],
  mfra: ['tfra', 'mfro'],
}
/** In the description of the samples of a track: how they are coded and shown. */
const CODED = new Set([
  ...[
    'avcC',
    'hvcC',
    'lhvC',
    'vvcC',
    'av1C',
    'vpcC',
    'esds',
    'd263',
    'damr',
    'dOps',
    'dac3',
    'dec3',
  ],
  ...[
    'dac4',
    'dfLa',
    'alac',
    'pcmC',
    'chan',
    'chnl',
    'srat',
    'SA3D',
    'wave',
    'colr',
    'pasp',
    'clap',
  ],
  ...[
    'btrt',
    'fiel',
    'gama',
    'mdcv',
    'clli',
    'SmDm',
    'CoLL',
    'dvcC',
    'dvvC',
    'dvwC',
    'st3d',
    'sv3d',
  ],
])
/** Groups of samples that a decoder needs: where it may begin. */
const GROUPS = new Set(['roll', 'prol', 'rap ', 'sync'])
const PLAYED = new Set(['vide', 'soun'])
/** Samples of one file: more than its length, when edits show some twice. */
const MAX_COPIES = 2

export type Video = {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  /** How long it is shown; 0 when it does not say so. */
  readonly durationMs: number
  /** How its pictures are coded: as MP4 names it, such as `hvc1`. Undefined in WebM, which browsers play. */
  readonly coding?: string
  /** Elements that were looked at, where each costs more than its bytes. */
  readonly elements?: number
}

/** A copy of the file without metadata. Throws RefusedFile for what is no MP4 file, or has no picture. */
export function cleanMp4(original: Uint8Array): Video {
  const file = new BoxFile(original)
  checkTop(file)
  const tracks = file.boxes
    .filter(({ type }) => type === 'moov')
    .flatMap(({ parts }) => parts.filter(({ type }) => type === 'trak'))
  const played = tracks.filter((track) => PLAYED.has(handlerOf(file, track)))
  const picture = played.find((track) => handlerOf(file, track) === 'vide')
  if (!picture) throw new RefusedFile('has no moving picture')
  const size = sizeOf(file, picture)
  const writer = new CleanWriter(file, tracks, played)
  writer.copySamples()
  for (const box of file.boxes) writer.write(box, 'file')
  const [durationMs, coding] = [durationOf(file, picture), codingOf(file, picture)]
  return { bytes: writer.bytes.subarray(0, file.end), ...size, durationMs, coding }
}

function checkTop(file: BoxFile): void {
  const [first] = file.boxes
  if (first?.type !== 'ftyp') throw new RefusedFile('is no MP4 video')
  // The kind of the file, its version, and the kinds that it is as well.
  const brands = [file.textAt(first.body)]
  for (let at = first.body + 8; at + 4 <= first.end; at += 4) brands.push(file.textAt(at))
  if (!brands.some((brand) => BRANDS.test(brand))) throw new RefusedFile('is no MP4 video')
  if (!file.boxes.some(({ type }) => type === 'moov')) throw new RefusedFile('is cut off')
}

/** As it is shown: width and height are the last numbers of the header of a track, in 16.16 fixed point, after a matrix. */
function sizeOf({ view }: BoxFile, track: Box): { width: number; height: number } {
  const header = partOf(track, 'tkhd')
  if (!header || header.end - header.body < 84) throw new RefusedFile('is cut off')
  const [width, height] = [view.getUint16(header.end - 8), view.getUint16(header.end - 4)]
  // Phones film with the sensor as it is, and turn the picture by a quarter when it is shown.
  const isTurned = view.getInt32(header.end - 44) === 0 && view.getInt32(header.end - 40) !== 0
  return isTurned ? { width: height, height: width } : { width, height }
}

class CleanWriter {
  readonly bytes: Uint8Array
  readonly #file: BoxFile
  readonly #played: readonly Box[]
  readonly #dropped: ReadonlySet<number>
  /** How boxes are written of which a part is kept. */
  readonly #boxOf = new Map<string, (box: Box) => void>([
    ['hdlr', (box) => this.#copy(box.at, Math.min(box.end, box.body + 12))],
    ['mvhd', (box) => this.#writeTimes(box)],
    ['tkhd', (box) => this.#writeTimes(box)],
    ['mdhd', (box) => this.#writeTimes(box)],
    ['dref', (box) => this.#writeReferences(box)],
    ['stsd', (box) => this.#writeDescriptions(box)],
    // Its samples are copied by then.
    ['mdat', (box) => this.#copy(box.at, box.body)],
  ])
  #copied = 0
  /** Whether the track that is being written is sound. */
  #isSound = false

  constructor(file: BoxFile, tracks: readonly Box[], played: readonly Box[]) {
    this.#file = file
    this.bytes = new Uint8Array(file.bytes.length)
    this.#played = played
    this.#dropped = new Set(
      tracks.filter((track) => !played.includes(track)).map((track) => trackIdOf(file, track)),
    )
  }

  /** Copies the samples of picture and sound, before the boxes: a sample is no box. */
  copySamples(): void {
    const { boxes } = this.#file
    for (const track of this.#played)
      for (const sample of samplesOf(this.#file, track)) this.#copySample(sample)
    const sizes = this.#defaultSizes()
    for (const moof of boxes.filter(({ type }) => type === 'moof')) {
      let hasDropped = false
      for (const { trackId, follows, samples } of samplesOfFragment(this.#file, moof, sizes)) {
        if (this.#dropped.has(trackId)) hasDropped = true
        else if (hasDropped && follows)
          throw new RefusedFile('has tracks beside picture and sound in fragments')
        else for (const sample of samples) this.#copySample(sample)
      }
    }
  }

  /** Bytes of a sample in a fragment that does not say it, by track. */
  #defaultSizes(): Map<number, number> {
    const { boxes, view } = this.#file
    const found = boxes
      .flatMap((moov) => partOf(moov, 'mvex')?.parts ?? [])
      .filter(({ type, body, end }) => type === 'trex' && end - body >= 24)
    return new Map(found.map(({ body }) => [view.getUint32(body + 4), view.getUint32(body + 16)]))
  }

  /** Samples lie beside each other. Lists that say otherwise take too long. */
  #copySample([from, to]: Bytes): void {
    const end = Math.min(to, this.bytes.length)
    this.#copied += Math.max(0, end - from)
    if (this.#copied > MAX_COPIES * this.bytes.length)
      throw new RefusedFile('has samples on top of each other')
    if (from < end) this.#copy(from, end)
  }

  #copy(from: number, to: number): void {
    this.bytes.set(this.#file.bytes.subarray(from, to), from)
  }

  /** Writes a box as it is, without what describes, or as free space. */
  write(box: Box, parent: string): void {
    if (!KEPT[parent]!.includes(box.type) || this.#isOfOtherTrack(box)) {
      this.#free(box)
      return
    }
    if (box.type !== 'mdat') this.bytes.fill(0, box.body, box.end)
    if (box.type === 'trak') this.#isSound = handlerOf(this.#file, box) === 'soun'
    const special = this.#boxOf.get(box.type)
    if (special) {
      special(box)
      return
    }
    this.#copy(box.at, KEPT[box.type] ? box.body : box.end)
    for (const part of box.parts) this.write(part, box.type)
  }

  /** Free space of the same length. */
  #free({ at, body, end }: Box): void {
    this.bytes.fill(0, body, end)
    this.#copy(at, body)
    this.bytes.set(Buffer.from('free'), at + 4)
  }

  #isOfOtherTrack(box: Box): boolean {
    const { view } = this.#file
    const { type, body, end } = box
    if (type === 'trak') return !this.#played.includes(box)
    if (type === 'sbgp' || type === 'sgpd') return !GROUPS.has(this.#file.textAt(body + 4))
    const header = type === 'traf' ? partOf(box, 'tfhd') : box
    if (!['traf', 'trex', 'tfra', 'sidx'].includes(type) || !header || end - body < 8) return false
    return this.#dropped.has(view.getUint32(header.body + 4))
  }

  /** A header with a version, flags and two times. */
  #writeTimes(box: Box): void {
    this.#copy(box.at, box.end)
    const length = this.bytes[box.body] === 1 ? 16 : 8
    this.bytes.fill(0, box.body + 4, Math.min(box.end, box.body + 4 + length))
  }

  /** Where the samples of a track are: here. Names of files are left out. */
  #writeReferences(box: Box): void {
    this.#copy(box.at, Math.min(box.end, box.body + 8))
    for (const { at, end } of this.#listIn(box.body + 8, box.end)) {
      this.#copy(at, Math.min(end, at + HEADER_BYTES + 4))
    }
  }

  #writeDescriptions(box: Box): void {
    this.#copy(box.at, Math.min(box.end, box.body + 8))
    for (const { at, end } of this.#listIn(box.body + 8, box.end)) this.#writeDescription(at, end)
  }

  /** Picture and sound have fields of other lengths before their boxes; sound in QuickTime has more of them. */
  #writeDescription(at: number, end: number): void {
    const starts = (this.#isSound ? [36, 52, 72] : [86]).map((offset) => at + offset)
    const version = this.#isSound && at + 18 <= end ? this.#file.view.getUint16(at + 16) : 0
    const last = starts[Math.min(version, starts.length - 1)]!
    const body = starts.find((start) => this.#isBox(start, end)) ?? Math.min(end, last)
    this.#copy(at, body)
    // Who made the program that wrote it, and in pictures the name of that.
    this.bytes.fill(0, at + 20, Math.min(end, at + 24))
    if (!this.#isSound) this.bytes.fill(0, at + 50, Math.min(end, at + 82))
    this.#writeCoded(body, end)
  }

  #writeCoded(from: number, to: number): void {
    for (const { at, end, type } of this.#listIn(from, to)) {
      if (type === 'wave') {
        this.#copy(at, at + HEADER_BYTES)
        this.#writeCoded(at + HEADER_BYTES, end)
      } else if (CODED.has(type) || ['frma', 'enda', 'mp4a'].includes(type)) this.#copy(at, end)
      else this.#free({ at, body: at + HEADER_BYTES, end, type, parts: [] })
    }
  }

  /** Boxes in a list, as far as they are boxes. */
  *#listIn(from: number, to: number): Generator<{ at: number; end: number; type: string }> {
    for (let at = from; this.#isBox(at, to); ) {
      const end = at + this.#file.view.getUint32(at)
      yield { at, end, type: this.#file.textAt(at + 4) }
      at = end
    }
  }

  #isBox(at: number, to: number): boolean {
    if (at + HEADER_BYTES > to) return false
    const length = this.#file.view.getUint32(at)
    const isText = /^[\x20-\x7e\xa9]{4}$/.test(this.#file.textAt(at + 4))
    return length >= HEADER_BYTES && at + length <= to && isText
  }
}
