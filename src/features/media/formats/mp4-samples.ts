import { type Box, type BoxFile, partOf } from './mp4-boxes.ts'
import { RefusedFile } from './refused.ts'

// Where the samples (coded pictures and pieces of sound) of an MP4 file are: in tables of its tracks, or of its fragments.

/** From a position in the file to another, which is not included. */
export type Bytes = readonly [from: number, to: number]

/** The samples that the tables of a track list, by chunk. */
export function* samplesOf(file: BoxFile, track: Box): Generator<Bytes> {
  const { view } = file
  const table = (type: string) => partOf(track, 'mdia', 'minf', 'stbl', type)
  const [perChunk, small, large] = [table('stsc'), table('stco'), table('co64')]
  const chunks = small ?? large
  const sizes = sizesOf(file, track, table('stsz') ?? table('stz2'))
  if (!perChunk || !chunks || !sizes) return
  const offsetBytes = small ? 4 : 8
  const chunkCount = entriesIn(view, chunks, chunks.body + 4, offsetBytes)
  const runs = entriesIn(view, perChunk, perChunk.body + 4, RUN_BYTES)
  const firstOf = (run: number) => view.getUint32(perChunk.body + 8 + run * RUN_BYTES)
  let run = 0
  let sample = 0
  for (let chunk = 1; chunk <= chunkCount && sample < sizes.count && runs > 0; chunk++) {
    while (run + 1 < runs && firstOf(run + 1) <= chunk) run += 1
    const at = chunks.body + 8 + (chunk - 1) * offsetBytes
    const from = small ? view.getUint32(at) : Number(view.getBigUint64(at))
    const after = sample + view.getUint32(perChunk.body + 12 + run * RUN_BYTES)
    yield [from, from + sizes.bytes(sample, Math.min(after, sizes.count))]
    sample = after
  }
}
const RUN_BYTES = 12

/** How many entries a table has, as it says and as fit into its box. */
const entriesIn = (view: DataView, box: Box, at: number, entryBytes: number): number =>
  Math.min(view.getUint32(at), Math.floor((box.end - at - 4) / entryBytes))

type Sizes = {
  readonly count: number
  /** Bytes of the samples from one to another, which is not included. */
  bytes(from: number, to: number): number
}

function sizesOf(file: BoxFile, track: Box, box: Box | undefined): Sizes | undefined {
  if (!box) return undefined
  const { view } = file
  const same = box.type === 'stsz' ? view.getUint32(box.body + 4) : 0
  if (same > 0) {
    const count = view.getUint32(box.body + 8)
    const bytesOf = constantSize(file, track, same)
    return { count, bytes: (from, to) => bytesOf(to - from) }
  }
  const bits = box.type === 'stsz' ? 32 : view.getUint8(box.body + 7)
  const count = entriesIn(view, box, box.body + 8, bits / 8)
  const table = box.body + 12
  const sizeOf = (sample: number): number => {
    if (bits === 32) return view.getUint32(table + sample * 4)
    if (bits === 16) return view.getUint16(table + sample * 2)
    if (bits === 8) return view.getUint8(table + sample)
    return (view.getUint8(table + (sample >> 1)) >> (sample % 2 === 0 ? 4 : 0)) & 0xf
  }
  return {
    count,
    bytes(from, to) {
      let sum = 0
      for (let sample = from; sample < to; sample++) sum += sizeOf(sample)
      return sum
    },
  }
}

/** Sound without compression: QuickTime counts its samples and says in the description how many bytes they are. */
const PCM_BITS: Readonly<Record<string, number>> = {
  ...{ ulaw: 8, alaw: 8, 'raw ': 8, in24: 24, in32: 32, fl32: 32, fl64: 64 },
}
const PLAIN = ['twos', 'sowt', 'NONE', 'lpcm']

/** Bytes of so many samples that all have one size. */
function constantSize(file: BoxFile, track: Box, same: number): (samples: number) => number {
  const plain = (samples: number) => same * samples
  const entry = partOf(track, 'mdia', 'minf', 'stbl', 'stsd')
  const at = (entry?.body ?? 0) + 8
  if (!entry || handlerOf(file, track) !== 'soun' || at + SOUND_BYTES > entry.end) return plain
  const { view } = file
  const [version, channels, bits] = [16, 24, 26].map((offset) => view.getUint16(at + offset))
  const code = file.textAt(at + 4)
  const pcmBits = PCM_BITS[code] ?? (PLAIN.includes(code) ? bits! : 0)
  const pcm = Math.max(same, Math.ceil((channels! * pcmBits) / 8))
  if (version === 0 || at + SOUND_BYTES + 16 > entry.end) return (samples) => pcm * samples
  const [perPacket, bytesPerPacket] =
    version === 1
      ? [view.getUint32(at + 36), view.getUint32(at + 44)]
      : [
          view.getUint32(at + Math.min(68, entry.end - at - 4)),
          view.getUint32(at + Math.min(64, entry.end - at - 4)),
        ]
  return (samples) =>
    Math.max(plain(samples), Math.ceil(samples / Math.max(1, perPacket!)) * bytesPerPacket!)
}
/** Of the description of a sound track, with its header. */
const SOUND_BYTES = 36

/** What a track is: `vide`, `soun` or another. */
export function handlerOf(file: BoxFile, track: Box): string {
  const handler = partOf(track, 'mdia', 'hdlr')
  return handler && handler.end >= handler.body + 12 ? file.textAt(handler.body + 8) : ''
}

/** The number by which fragments name a track. */
export function trackIdOf({ view }: BoxFile, track: Box): number {
  const header = partOf(track, 'tkhd')
  if (!header || header.end - header.body < 24) throw new RefusedFile('is cut off')
  return view.getUint32(header.body + (view.getUint8(header.body) === 1 ? 20 : 12))
}

/** Flags of `tfhd` and `trun` that say which fields there are. */
const TFHD = { base: 0x1, description: 0x2, duration: 0x8, size: 0x10, fromMoof: 0x20000 }
const TRUN = { offset: 0x1, firstFlags: 0x4, size: 0x200, each: [0x100, 0x200, 0x400, 0x800] }

/** The samples of a fragment, by track; `follows` says that those of the track before it tell where they begin. */
export function* samplesOfFragment(
  file: BoxFile,
  moof: Box,
  defaultSizes: ReadonlyMap<number, number>,
): Generator<{ trackId: number; follows: boolean; samples: Bytes[] }> {
  let end = moof.at
  for (const [index, traf] of moof.parts.filter(({ type }) => type === 'traf').entries()) {
    const header = readHeader(file, traf, moof.at)
    const size = header.size ?? defaultSizes.get(header.trackId) ?? 0
    const follows = header.base === undefined && index > 0
    const base = header.base ?? end
    end = base
    const samples: Bytes[] = []
    for (const run of traf.parts.filter(({ type }) => type === 'trun')) {
      const { offset, bytes } = readRun(file, run, size)
      const from = offset === undefined ? end : base + offset
      end = from + bytes
      samples.push([from, end])
    }
    yield { trackId: header.trackId, follows, samples }
  }
}

function readHeader({ view }: BoxFile, traf: Box, moofAt: number) {
  const header = partOf(traf, 'tfhd')
  if (!header) throw new RefusedFile('is cut off')
  const flags = view.getUint32(header.body) & 0xffffff
  let at = header.body + 8
  let base: number | undefined = flags & TFHD.fromMoof ? moofAt : undefined
  if (flags & TFHD.base) {
    base = Number(view.getBigUint64(at))
    at += 8
  }
  for (const field of [TFHD.description, TFHD.duration]) if (flags & field) at += 4
  const size = flags & TFHD.size ? view.getUint32(at) : undefined
  return { trackId: view.getUint32(header.body + 4), base, size }
}

function readRun({ view }: BoxFile, run: Box, defaultSize: number) {
  const flags = view.getUint32(run.body) & 0xffffff
  const count = view.getUint32(run.body + 4)
  let at = run.body + 8
  const offset = flags & TRUN.offset ? view.getInt32(at) : undefined
  for (const field of [TRUN.offset, TRUN.firstFlags]) if (flags & field) at += 4
  if (!(flags & TRUN.size)) return { offset, bytes: count * defaultSize }
  const entryBytes = 4 * TRUN.each.filter((field) => flags & field).length
  if (at + count * entryBytes > run.end) throw new RefusedFile('is cut off')
  if (flags & 0x100) at += 4
  let bytes = 0
  for (let i = 0; i < count; i++) bytes += view.getUint32(at + i * entryBytes)
  return { offset, bytes }
}
