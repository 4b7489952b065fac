import { SECOND_MS } from '../../../kernel/protocol/time.ts'
import { type Box, type BoxFile, HEADER_BYTES, partOf } from './mp4-boxes.ts'
import { trackIdOf } from './mp4-samples.ts'

// What an MP4 file says about its film: how long it is, and how it is coded. Boxes are read as far as they go: what a film lacks
// is not known, and no reason to refuse it.

/** Flags of `tfhd` and `trun`. */
const TFHD = { base: 0x1, description: 0x2, duration: 0x8 }
const TRUN = { offset: 0x1, firstFlags: 0x4, duration: 0x100, each: [0x100, 0x200, 0x400, 0x800] }

/** The name of the coding of a track's pictures, such as `avc1`. */
export function codingOf(file: BoxFile, track: Box): string {
  const descriptions = partOf(track, 'mdia', 'minf', 'stbl', 'stsd')
  const at = descriptions && descriptions.body + HEADER_BYTES
  return at && at + HEADER_BYTES <= descriptions.end ? file.textAt(at + 4) : ''
}

/** How long a film is shown, in milliseconds; 0 when it does not say so, and anything when it is wrong. Some headers know only what came before fragments. */
export function durationOf(file: BoxFile, picture: Box): number {
  const ticks = ticksOf(file, file.boxes.find(({ type }) => type === 'moov')!, 'mvhd')
  const [whole = 0, perSecond = 0] = ticks ?? []
  const extended = file.boxes.flatMap((box) => partOf(box, 'mvex', 'mehd') ?? [])[0]
  const most = Math.max(whole, extended ? numberAt(file, extended, 4, 4) : 0)
  const [, perSecondOfPicture = 0] = ticksOf(file, partOf(picture, 'mdia')!, 'mdhd') ?? []
  return Math.max(
    msOf(most, perSecond),
    msOf(endOfFragments(file, trackIdOf(file, picture)), perSecondOfPicture),
  )
}

const msOf = (ticks: number, perSecond: number): number =>
  perSecond === 0 ? 0 : Math.round((ticks / perSecond) * SECOND_MS)

/** Duration and ticks in a second, of a header with two times. All bits are set in a duration that is not known. */
function ticksOf(file: BoxFile, parent: Box, type: string): [number, number] | undefined {
  const box = partOf(parent, type)
  if (!box) return undefined
  const scaleAt = file.bytes[box.body] === 1 ? 20 : 12
  if (box.body + scaleAt + 12 > box.end) return undefined
  const duration = numberAt(file, box, scaleAt + 4, scaleAt + 4)
  return [duration, file.view.getUint32(box.body + scaleAt)]
}

/** A number of 32 bits, or of 64 in a box of version 1; 0 where there is none. */
function numberAt({ view, bytes }: BoxFile, { body, end }: Box, at32: number, at64: number) {
  const isLong = bytes[body] === 1
  if (body + (isLong ? at64 + 8 : at32 + 4) > end) return 0
  const number = isLong ? Number(view.getBigUint64(body + at64)) : view.getUint32(body + at32)
  const unknown = isLong ? 2 ** 64 : 2 ** 32 - 1
  return number >= unknown ? 0 : number
}

/** When the last sample of a track in fragments ends, in ticks. */
function endOfFragments(file: BoxFile, trackId: number): number {
  const { boxes, view } = file
  const usual = boxes
    .flatMap((box) => partOf(box, 'mvex')?.parts ?? [])
    .filter(({ type, body, end }) => type === 'trex' && end - body >= 24)
    .find(({ body }) => view.getUint32(body + 4) === trackId)
  const usualTicks = usual ? view.getUint32(usual.body + 12) : 0
  let end = 0
  for (const traf of boxes.filter(({ type }) => type === 'moof').flatMap(({ parts }) => parts)) {
    const header = partOf(traf, 'tfhd')
    if (!header || header.end - header.body < 8) continue
    if (view.getUint32(header.body + 4) !== trackId) continue
    const flags = view.getUint32(header.body)
    let at = header.body + 8
    if (flags & TFHD.base) at += 8
    if (flags & TFHD.description) at += 4
    const saysDuration = flags & TFHD.duration && at + 4 <= header.end
    const ofSample = saysDuration ? view.getUint32(at) : usualTicks
    const begin = partOf(traf, 'tfdt')
    const from = begin ? numberAt(file, begin, 4, 4) : end
    const runs = traf.parts.filter(({ type }) => type === 'trun')
    end = Math.max(end, from + runs.reduce((sum, run) => sum + ticksOfRun(file, run, ofSample), 0))
  }
  return end
}

function ticksOfRun({ view }: BoxFile, run: Box, ofSample: number): number {
  if (run.end - run.body < 8) return 0
  const flags = view.getUint32(run.body)
  const count = view.getUint32(run.body + 4)
  if (!(flags & TRUN.duration)) return count * ofSample
  let at = run.body + 8
  for (const field of [TRUN.offset, TRUN.firstFlags]) if (flags & field) at += 4
  const entryBytes = 4 * TRUN.each.filter((field) => flags & field).length
  let ticks = 0
  for (let i = 0; i < count && at + 4 <= run.end; i++, at += entryBytes) ticks += view.getUint32(at)
  return ticks
}
