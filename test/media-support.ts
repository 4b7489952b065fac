// Files for tests of pictures, made without the code that is tested, and their upload.

import assert from 'node:assert/strict'
import { crc32, deflateSync } from 'node:zlib'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData, signTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { colourAt, decode, encode } from './pictures-support.ts'
import type { TestAccount, World } from './world.ts'

/** Uploads as clients do whose requests are signed by a key of the fid. */
export async function uploadTo(
  world: Pick<World, 'app' | 'token'>,
  account: TestAccount,
  bytes: Uint8Array,
  altText?: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
): Promise<{ status: number; body: any; headers: Headers }> {
  const query = altText === undefined ? '' : `?${new URLSearchParams({ altText })}`
  const response = await fetch(`${world.app.urls.platform}/v1/media${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      authorization: `Bearer ${world.token(account)}`,
    },
    body: bytes as Uint8Array<ArrayBuffer>,
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** What the key of the custody address of an account signs, so that its data are exported. */
export function exportRequest(
  { app, clock }: Pick<World, 'app' | 'clock'>,
  fid: number,
  secret: Uint8Array,
) {
  const deadline = Math.floor(clock.now() / 1000) + 600
  const { idRegistry } = accountDomains(app.signingNetwork)
  const request = { action: 'export', fid, network: 'devnet', deadline } as const
  const signature = toHex(signTypedData(accountDataTypedData(request, idRegistry), secret))
  return { fid, deadline, signature }
}

/** Every file in the export of an account. */
export async function exportFiles(
  world: Pick<World, 'app' | 'clock'>,
  fid: number,
  secret: Uint8Array,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
): Promise<any[]> {
  const request = exportRequest(world, fid, secret)
  const files = []
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const response = await fetch(`${world.app.urls.accounts}/v1/export-media`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, pageToken }),
    })
    const text = await response.text()
    assert.equal(response.status, 200, text.slice(0, 300))
    const page = JSON.parse(text)
    files.push(...page.files)
    pageToken = page.nextPageToken as string
  }
  return files
}

const chunk = (type: string, data: Uint8Array) => {
  const typed = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}

/** A PNG that says it has this size, whatever its pixels are; `more` are chunks before its end. */
export function pngOf(
  width: number,
  height: number,
  pixels: Uint8Array,
  ...more: Buffer[]
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    ...more,
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Of one colour; the same arguments make the same file. */
export function plainPng(
  width: number,
  height: number,
  rgba: readonly number[],
  ...more: Buffer[]
): Buffer {
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.from(Array.from({ length: width }, () => rgba).flat()),
  ])
  return pngOf(width, height, Buffer.concat(Array.from({ length: height }, () => row)), ...more)
}

/** An animated PNG of two frames, with a comment. */
export function apngOf(width: number, height: number, comment: string): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(4 * width, 0xff)])
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const still = pngOf(width, height, Buffer.alloc(0))
  const headerEnd = 8 + 12 + 13
  const control = (sequence: number) => {
    const bytes = Buffer.alloc(26)
    for (const [i, value] of [sequence, width, height].entries()) bytes.writeUInt32BE(value, 4 * i)
    bytes.writeUInt16BE(1, 20)
    bytes.writeUInt16BE(5, 22)
    return chunk('fcTL', bytes)
  }
  return Buffer.concat([
    still.subarray(0, headerEnd),
    chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
    pngText(comment),
    ...[control(0), chunk('IDAT', data)],
    ...[control(1), chunk('fdAT', Buffer.concat([Buffer.from([0, 0, 0, 2]), data]))],
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const pngText = (text: string): Buffer => chunk('tEXt', Buffer.from(`Comment\0${text}`))

/** Red left above, green right above, blue left below, white right below, as it is meant to be seen. */
export const CORNERS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const

/** What is at each place of a camera's sensor so that a picture with this orientation shows CORNERS. */
const SENSOR: Readonly<Record<number, readonly number[]>> = {
  1: [0, 1, 2, 3],
  2: [1, 0, 3, 2],
  3: [3, 2, 1, 0],
  4: [2, 3, 0, 1],
  5: [0, 2, 1, 3],
  6: [1, 3, 0, 2],
  7: [3, 1, 2, 0],
  8: [2, 0, 3, 1],
}

/** A photograph as a camera stores it: turned, with a place and a name in its EXIF data. */
export function photograph(orientation: number, secret: string): Buffer {
  const side = 64
  const pixels = new Uint8Array(side * side * 4).fill(255)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const corner = (y < side / 2 ? 0 : 2) + (x < side / 2 ? 0 : 1)
      pixels.set(CORNERS[SENSOR[orientation]![corner]!]!, (y * side + x) * 4)
    }
  }
  const plain = encode({ pixels, width: side, height: side }, '.jpg[Q=95,keep=none]')
  return Buffer.concat([plain.subarray(0, 2), exif(orientation, secret), plain.subarray(2)])
}

/** Orientation, a description, and a directory of GPS data with a latitude. */
function exif(orientation: number, secret: string): Buffer {
  const text = Buffer.from(`${secret}\0`)
  const [ifdAt, entries] = [8, 3]
  const gpsAt = ifdAt + 2 + entries * 12 + 4
  const gpsBytes = 2 + 2 * 12 + 4
  const latitudeAt = gpsAt + gpsBytes
  const textAt = latitudeAt + 24
  const tiff = Buffer.alloc(textAt + text.length)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(ifdAt, 4)
  tiff.writeUInt16BE(entries, ifdAt)
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(count, at + 4)
    if (type === 3) tiff.writeUInt16BE(value, at + 8)
    else tiff.writeUInt32BE(value, at + 8)
  }
  entry(ifdAt + 2, 0x010e, 2, text.length, textAt)
  entry(ifdAt + 14, 0x0112, 3, 1, orientation)
  entry(ifdAt + 26, 0x8825, 4, 1, gpsAt)
  tiff.writeUInt16BE(2, gpsAt)
  entry(gpsAt + 2, 1, 2, 2, 0)
  tiff.write('N\0', gpsAt + 10, 'latin1')
  entry(gpsAt + 14, 2, 5, 3, latitudeAt)
  for (const [i, value] of [52, 1, 31, 1, 12, 1].entries())
    tiff.writeUInt32BE(value, latitudeAt + i * 4)
  text.copy(tiff, textAt)
  const data = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** The colours in the middle of the four quarters of a JPEG or WebP. */
export function cornersOf(bytes: Uint8Array): number[][] {
  const image = decode(bytes)
  return [0.25, 0.75].flatMap((v) => [0.25, 0.75].map((u) => colourAt(image, u, v)))
}

const frame = (colour: number) => [
  0x2c,
  0,
  0,
  0,
  0,
  2,
  0,
  2,
  0,
  0,
  2,
  3,
  0x84 | (colour ? 0x08 : 0),
  colour ? 0x4f : 0x51,
  0,
  0,
]

/** A GIF of so many frames with a comment, and something behind its end. */
export const gifOf = (frames: number, comment = '', tail = ''): Buffer =>
  Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    Buffer.from([0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, 0, 0, 0]),
    ...(comment ? [Buffer.from([0x21, 0xfe, comment.length, ...Buffer.from(comment), 0])] : []),
    ...Array.from({ length: frames }, (_, i) =>
      Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, ...frame(i % 2)]),
    ),
    Buffer.from([0x3b]),
    Buffer.from(tail),
  ])

const box = (type: string, ...content: (Uint8Array | readonly number[])[]): Buffer => {
  const data = Buffer.concat(content.map((part) => Buffer.from(part as Uint8Array)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data])
}
const number = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4)
  return bytes
}

/**
 * An MP4 file with a track of pictures, and one of places, a name and times; the samples of both are given. `name` is also
 * where programs and cameras leave words: between samples, in boxes of their own, in names of handlers and of programs.
 */
export function mp4Of(picture: string, place: string, name: string, brand = 'isom'): Buffer {
  const ftyp = box('ftyp', Buffer.from(brand), number(512), Buffer.from(`${brand}mp42`))
  const times = number(0, 0x11223344, 0x11223344)
  const words = Buffer.from(name)
  const described = Buffer.alloc(78)
  words.copy(described, 42, 0, 32)
  const track = (kind: string, sample: string, offset: number) => {
    const header = Buffer.alloc(84)
    times.copy(header)
    header.writeUInt16BE(320, 76)
    header.writeUInt16BE(240, 80)
    const tables = [
      box('stsd', number(0, 1), box('avc1', described, box('avcC', [1, 2, 3]), box('XMP_', words))),
      box('stsz', number(0, 0, 1, sample.length)),
      box('stsc', number(0, 1, 1, 1, 1)),
      box('stco', number(0, 1, offset)),
    ]
    return box(
      'trak',
      box('tkhd', header),
      box(
        'mdia',
        box('mdhd', times, number(1_000, 1_000, 0)),
        box('hdlr', number(0, 0), Buffer.from(kind), number(0, 0, 0), words),
        box(
          'minf',
          box('dinf', box('dref', number(0, 1), box('alis', number(1), words))),
          box('stbl', ...tables),
        ),
      ),
    )
  }
  const data = ftyp.length + 8
  return Buffer.concat([
    ftyp,
    box('mdat', Buffer.from(picture + place + name)),
    ...['XMP_', 'loci', 'sefd', 'uuid'].map((type) => box(type, words)),
    box(
      'moov',
      ...['gps ', 'XMP_', 'loci'].map((type) => box(type, words)),
      // Two and a half seconds.
      box('mvhd', times, number(1_000, 2_500), Buffer.alloc(80)),
      track('vide', picture, data),
      track('meta', place, data + picture.length),
      box('udta', box('\xa9xyz', Buffer.from(name))),
    ),
    box('free', Buffer.from(name)),
  ])
}

/** An MP4 file that says in a header of version 1 how long it is. */
export function mp4Lasting(seconds: bigint): Buffer {
  const file = mp4Of(`of ${seconds} seconds`, 'place', 'name')
  const header = file.indexOf('mvhd') + 4
  file[header] = 1
  file.writeUInt32BE(1, header + 20)
  file.writeBigUInt64BE(seconds, header + 24)
  return file
}

/** A small MP4 file with a track of pictures, which says that it has 4 billion samples in each of its chunks, one over the other. */
export function mp4WithEndlessSamples(chunks: number): Buffer {
  const track = (kind: string, ...tables: Buffer[]) =>
    box(
      'trak',
      box('tkhd', Buffer.alloc(84)),
      box(
        'mdia',
        box('hdlr', number(0, 0), Buffer.from(kind), number(0, 0, 0), [0]),
        box('minf', box('stbl', ...tables)),
      ),
    )
  const most = 0xffff_ffff
  const file = (offset: number) =>
    Buffer.concat([
      box('ftyp', Buffer.from('isom'), number(0)),
      box(
        'moov',
        track(
          'vide',
          box('stsz', number(0, 1, most)),
          box('stsc', number(0, 1, 1, Math.floor(most / chunks), 1)),
          box('stco', number(0, chunks, ...Array.from({ length: chunks }, () => offset))),
        ),
      ),
      box('mdat', Buffer.alloc(1_000)),
    ])
  return file(file(0).length - 1_000)
}

const element = (id: number[], ...content: (Uint8Array | readonly number[])[]): Buffer => {
  const data = Buffer.concat(content.map((part) => Buffer.from(part as Uint8Array)))
  const size = Buffer.alloc(8)
  size.writeUInt32BE(data.length, 4)
  size[0] = 0x01
  return Buffer.concat([Buffer.from(id), size, data])
}
const UNKNOWN_SIZE = [0x01, 255, 255, 255, 255, 255, 255, 255]

const binary = (id: number[], text: string) => element(id, Buffer.from(text))
const [VOID, CRC] = [[0xec], [0xbf]]

/** A WebM file as browsers record it, with sizes that are not known, and a title where programs leave words. */
export const webmOf = (picture: string, title: string, ...info: Buffer[]): Buffer =>
  Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3], binary([0x42, 0x82], 'webm')),
    Buffer.from([0x18, 0x53, 0x80, 0x67, ...UNKNOWN_SIZE]),
    binary(VOID, title),
    element(
      [0x15, 0x49, 0xa9, 0x66],
      ...[CRC, [0x7b, 0xa9], [0x4d, 0x80], [0x57, 0x41]].map((id) => binary(id, title)),
      ...info,
    ),
    element(
      [0x16, 0x54, 0xae, 0x6b],
      element(
        [0xae],
        ...[element([0xd7], [1]), element([0x83], [1]), binary([0x53, 0x6e], title)],
        element([0xe0], element([0xb0], [1, 64]), element([0xba], [240])),
      ),
      element([0xae], element([0xd7], [2]), element([0x83], [17]), binary([0x63, 0xa2], title)),
    ),
    Buffer.from([0x1f, 0x43, 0xb6, 0x75, ...UNKNOWN_SIZE]),
    element([0xe7], [0]),
    binary(VOID, title),
    element([0xa3], [0x81, 0, 0, 0x80], Buffer.from(picture)),
    element([0xa3], [0x82, 0, 0, 0x80], Buffer.from(title)),
    element([0xa0], element([0xa1], [0x82, 0, 0, 0], Buffer.from(title)), binary([0x9b], '1')),
    binary([0x6d, 0x99], title),
    element([0x12, 0x54, 0xc3, 0x67], Buffer.from(title.repeat(9))),
  ])

/** A WebM file that says how long it is. */
export function webmLasting(ms: number): Buffer {
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(ms)
  return webmOf(`of ${ms} ms`, 'title', element([0x44, 0x89], duration))
}

/** A WebM file of so many empty blocks. */
export const webmOfBlocks = (blocks: number): Buffer => {
  const block = Buffer.from([0xa3, 0x84, 0x81, 0, 0, 0x80])
  return Buffer.concat([webmOf('a', 'b'), ...Array.from({ length: blocks }, () => block)])
}
