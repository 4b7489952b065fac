import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { crc32, deflateSync } from 'node:zlib'
import { imageSize } from 'image-size'
import { serve } from '../../../../test/http-support.ts'
import { PATIENCE_MS } from '../../../../test/patience.ts'
import {
  blackJpeg,
  colourAt,
  decode,
  decodeInks,
  encode,
  movingAvif,
  paint,
} from '../../../../test/pictures-support.ts'
import { ENGLISH } from '../../../kernel/base/languages/languages.ts'
import { isDisplayP3 } from '../../../kernel/base/pictures/colours.ts'
import { createRenderer } from '../../../kernel/base/pictures/renderer.ts'
import type { Interface } from '../../../kernel/http/interface.ts'
import type { Lookup } from '../../../kernel/http/outgoing.ts'
import { translator } from '../../../kernel/http/translator.ts'
import { CostBudget, costLimitsOf } from '../../../kernel/limits/cost-budget.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { MIB } from '../../../kernel/protocol/sizes.ts'
import { createPreviews } from '../previews/previews.ts'
import { createSiteFiles } from '../remote/site-files.ts'
import { siteRoutes } from '../site-routes.ts'
import { createPictures, MAX_PICTURE_BYTES } from './pictures.ts'

// Pictures and previews of other sites over HTTP; the other site is a server of the test.

const chunk = (type: string, data: Uint8Array) => {
  const typed = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}

/** Red, green, blue and alpha of eight bits each. */
const RGBA8 = [8, 6]

/** A PNG with these dimensions, depth and colour type in its header, whatever its pixels are. */
function png(width: number, height: number, pixels: Uint8Array, depthAndType = RGBA8): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set(depthAndType, 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** One colour. */
const plainPng = (width: number, height: number, rgba: number[]) => {
  const row = [0, ...Array.from({ length: width }, () => rgba).flat()]
  return png(width, height, Buffer.from(Array.from({ length: height }, () => row).flat()))
}

const randomRows = (width: number, height: number) =>
  Buffer.concat(Array.from({ length: height }, () => [Buffer.of(0), randomBytes(width * 4)]).flat())

/** A JPEG that is black on the left and white on the right, with an EXIF orientation. */
function jpeg(width: number, height: number, orientation: number, exifAt = 8): Buffer {
  const pixels = new Uint8Array(width * height * 4).fill(255)
  for (let at = 0; at < pixels.length; at += 4) {
    if ((at / 4) % width < width / 2) pixels.fill(0, at, at + 3)
  }
  const plain = encode({ pixels, width, height }, '.jpg[Q=90]')
  // The directory of one entry begins at `exifAt`, as programs may choose.
  const tiff = Buffer.alloc(exifAt + 18)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(exifAt, 4)
  for (const [at, value] of [1, 0x0112, 3, 0, 1, orientation].entries())
    tiff.writeUInt16BE(value, exifAt + 2 * at)
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(exif.length + 2)
  return Buffer.concat([
    plain.subarray(0, 2),
    Buffer.from([0xff, 0xe1]),
    length,
    exif,
    plain.subarray(2),
  ])
}

/** The same PNG, said to be stored in seven passes. */
function interlaced(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  changed[28] = 1
  changed.writeUInt32BE(crc32(changed.subarray(12, 29)), 29)
  return changed
}

/** A GIF that announces 10 × 10 pixels and contains a frame of 65,535 × 65,535. */
const hostileGif = Buffer.concat([
  Buffer.from('GIF89a'),
  Buffer.from([10, 0, 10, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  Buffer.from([0x2c, 0, 0, 0, 0, 255, 255, 255, 255, 0, 2, 2, 0x44, 1, 0, 0x3b]),
])

const webp = (width: number, height: number): Buffer =>
  encode(
    paint(width, height, () => [9, 9, 9, 9]),
    '.webp[lossless=true,keep=none]',
  )

/** The same file with other dimensions in its header, `distance` bytes after this mark. */
function withSize(
  file: Buffer,
  mark: string | number[],
  distance: number,
  write: (to: Buffer) => void,
): Buffer {
  const changed = Buffer.from(file)
  const at = changed.indexOf(typeof mark === 'string' ? mark : Buffer.from(mark))
  assert.ok(at >= 0)
  write(changed.subarray(at + distance))
  return changed
}

/** Nobody pays. */
const consume = () => {}

/** As pictures.ts refuses what is at https://a.example. */
const refused = (what: string) =>
  new Rejection('bad_request.validation_failure', `the file at a.example ${what}`)

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const PAGE = `<head><meta property="og:title" content="A &lt;b&gt; page">
  <meta property="og:image" content="/red.png"></head>`

const send =
  (
    type: string,
    body: string | Uint8Array,
    headers: Record<string, string> = {},
  ): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(body)
  }
const redirect =
  (location: string): RequestListener =>
  (_, response) => {
    response.writeHead(302, { location }).end()
  }

/** Bytes of buffers that are in use: the least of several measurements, because garbage is freed in the background. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    await nextTurn()
    runInNewContext('gc')()
    least = Math.min(least, process.memoryUsage().arrayBuffers)
  }
  return least
}

/** Answers that wait for \`release\`. */
const held: ServerResponse[] = []
const hold: RequestListener = (_, response) => void held.push(response)
const release = () => {
  for (const response of held.splice(0)) response.writeHead(404).end()
}

const FILES: Readonly<Record<string, RequestListener>> = {
  '/red.png': send('image/png', plainPng(400, 200, [255, 0, 0, 255])),
  // What a file is called and how it is declared does not matter.
  '/called.svg': send('text/html', plainPng(20, 10, [255, 0, 0, 255])),
  // Pixels that do not compress: 1 MB.
  '/noise.png': send('image/png', png(500, 500, randomRows(500, 500))),
  '/glass.png': send('image/png', plainPng(20, 10, [255, 0, 0, 40])),
  '/tall.png': send('image/png', plainPng(2, 900, [0, 0, 0, 255])),
  '/turned.jpg': send('image/jpeg', jpeg(64, 32, 6)),
  '/to-red': redirect('/red.png'),
  '/svg.png': send('image/png', SVG),
  '/page.png': send('image/png', '<html><img src=x onerror=alert(1)>'),
  '/empty.png': send('image/png', ''),
  '/bomb.png': send('image/png', png(30_000, 30_000, Buffer.alloc(10))),
  '/wide.png': send('image/png', png(70_000, 1, Buffer.alloc(10))),
  '/cut.png': send('image/png', png(3_500, 3_500, Buffer.alloc(100))),
  '/frame.gif': send('image/gif', hostileGif),
  '/long.png': send('image/png', Buffer.alloc(MAX_PICTURE_BYTES + 1)),
  '/packed.png': send('image/png', 'x', { 'content-encoding': 'zstd' }),
  '/inside': redirect('http://10.0.0.1/secret'),
  '/metadata': redirect('https://169.254.169.254/latest/meta-data/'),
  '/file': redirect('file:///etc/passwd'),
  '/loop': redirect('/loop'),
  '/page': send('text/html; charset=utf-8', PAGE),
  '/latin': send('text/html; charset=iso-8859-1', Buffer.from('<title>caf\xe9</title>', 'latin1')),
  '/outside': send(
    'text/html',
    '<title>x</title><meta property="og:image" content="http://10.0.0.1/x.png">',
  ),
  '/script': send('text/html', '<meta property="og:image" content="javascript:alert(1)">'),
  '/bytes': send('application/octet-stream', 'x'),
}

describe('pictures and previews of other sites', () => {
  let base: string
  let asked: string[] = []
  const renderer = createRenderer()
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const file = request.url!.startsWith('/slow') ? hold : FILES[request.url!]
    if (file) file(request, response)
    else response.writeHead(404).end()
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await renderer.close()
  })

  const create = (
    options: { allowLoopback?: boolean; lookup?: Lookup; costs?: CostBudget } = {},
  ) => {
    const { allowLoopback = true, lookup, costs } = options
    const rules = { allowLoopback, ...(lookup && { lookup }) }
    const files = createSiteFiles(rules)
    return serve(
      siteRoutes(
        createPictures(files, renderer),
        createPreviews(files, {
          ...rules,
          readCard: () => undefined,
          snaps: {
            blockedHosts: async () => new Set(),
            isOwn: () => false,
            ownPages: async () => new Map(),
          },
        }),
        async () => translator(ENGLISH),
      ),
      {
        name: 'web',
        errors: 'plain',
        ...(costs && { costs }),
      },
    )
  }
  const picture = (api: Interface, url: string, width: number | string = 192, headers = {}) =>
    api.inject({ url: `/picture?url=${encodeURIComponent(url)}&width=${width}`, headers })
  const preview = (api: Interface, url: string) =>
    api.inject(`/preview?url=${encodeURIComponent(url)}`)
  const refusal = ({ statusCode, body }: { statusCode: number; body: string }) => {
    assert.equal(statusCode, 400, body)
    return JSON.parse(body).message.replace(/^(?:the file at \S+|\S+:\S*) /, '')
  }

  it('a picture is made smaller, written anew, and sent so that it can do nothing', async () => {
    const api = create()
    const answer = await picture(api, `${base}/red.png`)
    assert.equal(answer.statusCode, 200)
    const { width, height, type } = imageSize(answer.rawPayload)
    assert.deepEqual([width, height, type], [192, 96, 'jpg'])
    assert.equal(answer.headers['content-type'], 'image/jpeg')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.equal(answer.headers['content-disposition'], 'inline; filename="picture.jpg"')
    assert.equal(answer.headers['content-security-policy'], "default-src 'none'; sandbox")
    const [red, green, blue] = decode(answer.rawPayload).pixels
    assert(red! > 245 && green! < 10 && blue! < 10)
    const { etag } = answer.headers
    const again = await picture(api, `${base}/red.png`, 192, { 'if-none-match': etag })
    assert.equal(again.statusCode, 304)
  })

  it('a picture keeps transparency, its way up and small dimensions, and a tall one is bounded', async () => {
    const api = create()
    const sizes: Record<string, [string, number, number]> = {
      '/glass.png': ['image/webp', 20, 10],
      '/called.svg': ['image/jpeg', 20, 10],
      '/turned.jpg': ['image/jpeg', 32, 64],
      '/tall.png': ['image/jpeg', 1, 384],
      '/to-red': ['image/jpeg', 192, 96],
    }
    for (const [path, expected] of Object.entries(sizes)) {
      const answer = await picture(api, base + path)
      const { width, height } = imageSize(answer.rawPayload)
      assert.deepEqual([answer.headers['content-type'], width, height], expected, path)
    }
    // Orientation 6 turns the black left half to the top.
    const turned = await picture(api, `${base}/turned.jpg`)
    const pixels = decode(turned.rawPayload).pixels
    const at = (x: number, y: number) => pixels[(y * 32 + x) * 4]!
    assert(at(28, 4) < 40 && at(4, 4) < 40 && at(4, 60) > 215 && at(28, 60) > 215)
  })

  it('a file is fetched and decoded once for all that ask, and a refused one is not fetched again', async () => {
    const api = create()
    asked = []
    const paths = ['/red.png', '/red.png', '/red.png#a', '/svg.png', '/svg.png']
    await Promise.all(paths.map((path) => picture(api, base + path)))
    await picture(api, `${base}/red.png`)
    await picture(api, `${base}/svg.png`)
    assert.deepEqual(asked.toSorted(), ['/red.png', '/svg.png'])
  })

  it('a picture that waits behind slow files of one client is fetched for another at once', async () => {
    const api = create()
    asked = []
    const ask = (path: string, remoteAddress: string) =>
      api.inject({
        url: `/picture?url=${encodeURIComponent(base + path)}&width=96`,
        remoteAddress,
      })
    const [attacker, visitor] = ['203.0.113.9', '198.51.100.1']
    const slow = Array.from({ length: 16 }, (_, i) => ask(`/slow?${i}`, attacker))
    while (held.length < 8) await nextTurn()
    const waiting = ask('/called.svg', attacker)
    await nextTurn() // until it has been sent
    assert.equal((await ask('/called.svg', visitor)).statusCode, 200)
    while (asked.length < 17) {
      release()
      await nextTurn()
    }
    release()
    const answer = await waiting
    assert.equal(answer.statusCode, 200)
    assert.equal(asked.filter((path) => path === '/called.svg').length, 1)
    await Promise.all(slow)
  })

  it('slow sites of three clients do not delay the pictures of a fourth', async () => {
    const files = createSiteFiles({ allowLoopback: true, timeoutMs: PATIENCE_MS })
    const pictures = createPictures(files, renderer)
    const get = (path: string, ip: string) =>
      pictures.get({ url: new URL(base + path), width: 96, ip, consume })
    asked = []
    const slow = ['203.0.113.9', '203.0.114.9', '203.0.115.9'].flatMap((ip, client) =>
      Array.from({ length: 8 }, (_, i) => get(`/slow?${client}-${i}`, ip)),
    )
    const ended = Promise.allSettled(slow)
    while (held.length < 16) await nextTurn()
    assert.equal((await get('/red.png', '198.51.100.1')).type, 'image/jpeg')
    let isOver = false
    const outcomes = ended.finally(() => {
      isOver = true
    })
    while (!isOver) {
      release()
      await nextTurn()
    }
    const codes = (await outcomes).flatMap((one) =>
      one.status === 'rejected' ? [one.reason.code] : [],
    )
    // Some have made room, and are told that their files were not at fault.
    assert.deepEqual([...new Set(codes)].sort(), [
      'bad_request.validation_failure',
      'unavailable.overloaded',
    ])
  })

  it('a slow site that many people link to does not delay pictures of other sites', async () => {
    const pictures = createPictures(
      createSiteFiles({ allowLoopback: true, timeoutMs: PATIENCE_MS }),
      renderer,
    )
    const other = createServer(FILES['/red.png']).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const get = (url: string, ip: string) =>
      pictures.get({ url: new URL(url), width: 96, ip, consume })
    const slow = Array.from({ length: 16 }, (_, i) => get(`${base}/slow?${i}`, `203.0.113.${i}`))
    const ended = Promise.allSettled(slow)
    while (held.length < 16) await nextTurn()
    const { port } = other.address() as AddressInfo
    const got = await get(`http://127.0.0.1:${port}/`, '198.51.100.1')
    assert.equal(got.type, 'image/jpeg')
    other.close()
    release()
    const codes = (await ended).map((one) => one.status === 'rejected' && one.reason.code)
    assert.equal(codes.filter((code) => code === 'unavailable.overloaded').length, 1)
  })

  it('a site with many networks has the share of one client', async () => {
    const pictures = createPictures(
      createSiteFiles({ allowLoopback: true, timeoutMs: PATIENCE_MS }),
      renderer,
    )
    const get = (path: string, ip: string) =>
      pictures.get({ url: new URL(base + path), width: 96, ip, consume })
    asked = []
    const slow = Array.from({ length: 16 }, (_, i) => get(`/slow?${i}`, `2001:db8:1:${i}::1`))
    const ended = Promise.allSettled(slow)
    while (held.length < 8) await nextTurn()
    await get('/red.png', '198.51.100.1')
    assert.equal(asked.filter((path) => path.startsWith('/slow')).length, 8)
    while (asked.length < 17) {
      release()
      await nextTurn()
    }
    release()
    await ended
  })

  it('sixteen slow sites that sixteen clients ask for do not delay a picture of another site', async () => {
    const sites = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const site = createServer(hold).listen(0, '127.0.0.1')
        await once(site, 'listening')
        return site
      }),
    )
    const rules = { allowLoopback: true, timeoutMs: PATIENCE_MS, slowMs: 20 }
    const pictures = createPictures(createSiteFiles(rules), renderer)
    const get = (url: string, ip: string) =>
      pictures.get({ url: new URL(url), width: 96, ip, consume })
    const slow = sites.map((site, i) =>
      get(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`, `203.0.113.${i}`),
    )
    const ended = Promise.allSettled(slow)
    while (held.length < 16) await nextTurn()
    assert.equal((await get(`${base}/red.png`, '198.51.100.1')).type, 'image/jpeg')
    release()
    const codes = (await ended).map((one) => one.status === 'rejected' && one.reason.code)
    for (const site of sites) site.close()
    // One has made room; nobody waited for the places of the others.
    assert.equal(codes.filter((code) => code === 'unavailable.overloaded').length, 1)
  })

  it('slow pictures of 8 MiB hold 32 MiB in all, and one gives way to a large picture of another site', async (t) => {
    let whole = 0
    const part = Buffer.alloc(MAX_PICTURE_BYTES - 1)
    const heldBefore = await heldBytes()
    const huge = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': part.length + 1 })
      response.write(part, () => whole++)
    }).listen(0, '127.0.0.1')
    await once(huge, 'listening')
    const end = () => {
      huge.close()
      huge.closeAllConnections()
    }
    t.after(end)
    const pictures = createPictures(
      createSiteFiles({ allowLoopback: true, timeoutMs: PATIENCE_MS, slowMs: PATIENCE_MS }),
      renderer,
    )
    const get = (url: string, ip: string) =>
      pictures.get({ url: new URL(url), width: 96, ip, consume })
    const { port } = huge.address() as AddressInfo
    const slow = Array.from({ length: 15 }, (_, i) =>
      get(`http://127.0.0.1:${port}/${i}`, `203.0.113.${i}`),
    )
    const ended = Promise.allSettled(slow)
    while (whole < 3) await nextTurn()
    assert.equal((await get(`${base}/red.png`, '198.51.100.1')).type, 'image/jpeg')
    const mib = ((await heldBytes()) - heldBefore) / 1024 / 1024
    assert.ok(mib < 32, `${mib} MiB`)
    assert.equal((await get(`${base}/noise.png`, '198.51.100.1')).type, 'image/webp')
    end()
    await ended
  })

  it('a file that is no picture, too large or broken is refused with the reason', async () => {
    const api = create()
    const reasons: Record<string, string> = {
      '/svg.png': 'is not a picture in JPEG, PNG, GIF, WebP or AVIF',
      '/page.png': 'is not a picture in JPEG, PNG, GIF, WebP or AVIF',
      '/empty.png': 'is not a picture in JPEG, PNG, GIF, WebP or AVIF',
      '/bomb.png': 'has too many pixels: 30000 × 30000; make it smaller, such as 8192 × 8192',
      '/wide.png': 'has too many pixels: 70000 × 1',
      '/cut.png': 'cannot be decoded',
      '/frame.gif': 'has too many pixels: 65535 × 65535',
      '/long.png': `answered more than ${MAX_PICTURE_BYTES} bytes`,
      '/packed.png': 'answered in the encoding zstd',
      '/none': 'answered 404',
      '/loop': 'redirects more than 20 times',
    }
    for (const [path, reason] of Object.entries(reasons)) {
      const found = refusal(await picture(api, base + path))
      assert.ok(found.startsWith(reason), `${path} ${found}`)
    }
    assert.equal((await picture(api, `${base}/red.png`)).statusCode, 200)
  })

  it('a picture is refused by what its decoder would hold, before it is decoded', async () => {
    const small = paint(8, 8, () => [9, 9, 9, 255])
    const size16 = (to: Buffer) => {
      to.writeUInt16BE(2_990)
      to.writeUInt16BE(12_000, 2)
    }
    // A fifth of 1 GiB is a little less than each of these; the bytes that each pixel takes are in brackets.
    const tooLarge: Record<string, [file: Buffer, width: number, height: number]> = {
      'PNG by rows of places (8)': [
        interlaced(png(12_000, 2_237, Buffer.alloc(10), [16, 6])),
        12_000,
        2_237,
      ],
      'PNG by rows of places (4)': [
        interlaced(png(12_000, 4_474, Buffer.alloc(10))),
        12_000,
        4_474,
      ],
      'progressive JPEG (6)': [
        withSize(encode(small, '.jpg[interlace=true,subsample-mode=off]'), [0xff, 0xc2], 5, size16),
        12_000,
        2_990,
      ],
      'GIF (8) with a larger frame': [
        withSize(hostileGif, 'GIF89a', 6, (to) => {
          to.writeUInt16LE(12_000)
          to.writeUInt16LE(2_237, 2)
        }),
        65_535,
        65_535,
      ],
      'WebP (8)': [
        withSize(webp(8, 8), 'VP8L', 9, (to) => {
          to.writeUInt32LE((12_000 - 1) | ((2_237 - 1) << 14))
        }),
        12_000,
        2_237,
      ],
      'AVIF (20)': [
        withSize(encode(small, '.avif'), 'ispe', 8, (to) => {
          to.writeUInt32BE(12_000)
          to.writeUInt32BE(895, 4)
        }),
        12_000,
        895,
      ],
    }
    const of = createRenderer({ timeoutMs: PATIENCE_MS, memoryBytes: 2 ** 30 })
    for (const [name, [bytes, width, height]] of Object.entries(tooLarge)) {
      const text = new RegExp(
        `too many pixels: ${width} × ${height}; make it smaller, such as \\d+ ×`,
      )
      await assert.rejects(
        of.render({ bytes, width: 96, client: 'one', consume }, refused),
        text,
        name,
      )
    }
    await of.close()
  })

  /** A machine with 512 MiB, of which the process uses so many. */
  const smallMachine = (
    usedMib: () => number,
    {
      freeMib = () => 4_096,
      roomWaitMs = 0,
      idleMs,
    }: { freeMib?: () => number; roomWaitMs?: number; idleMs?: number } = {},
  ) =>
    createRenderer({
      timeoutMs: PATIENCE_MS,
      memoryBytes: 512 * MIB,
      usedBytes: () => usedMib() * MIB,
      freeBytes: () => freeMib() * MIB,
      roomWaitMs,
      idleMs,
    })

  /** Counts the threads that are started. */
  const countThreads = (t: TestContext) => {
    const threads = { started: 0 }
    const count = () => threads.started++
    process.on('worker', count)
    t.after(() => process.off('worker', count))
    return threads
  }
  const full = { code: 'unavailable.overloaded', message: /too little memory/ }
  const progressive = () => blackJpeg(4_032, 3_024, 'interlace')

  it('a picture that the memory of a busy process has no room for comes later, and smaller ones at once', async (t) => {
    const threads = countThreads(t)
    let usedMib = 320
    const of = smallMachine(() => usedMib)
    let charged = 0
    const pay = (bytes: number) => {
      charged += bytes
    }
    const render = (bytes: Uint8Array) =>
      of.render({ bytes, width: 480, client: 'one', consume: pay }, refused)
    const photograph = progressive()
    assert.equal((await render(blackJpeg(400, 300))).width, 400)
    assert.ok(charged >= 4_000_000, 'the start of a thread is charged')
    charged = 0
    usedMib = 470
    for (let i = 0; i < 4; i++) await assert.rejects(render(photograph), full)
    assert.equal((await render(blackJpeg(400, 300))).width, 400)
    assert.equal(threads.started, 1)
    assert.ok(charged < 2_000_000, `${charged}`)
    usedMib = 490
    await assert.rejects(render(blackJpeg(400, 300)), full)
    usedMib = 200
    assert.equal((await render(photograph)).width, 480)
    await of.close()
  })

  it('memory that other processes of the machine use is not counted as free', async (t) => {
    const threads = countThreads(t)
    let freeMib = 180
    const of = smallMachine(() => 100, { freeMib: () => freeMib })
    const render = () =>
      of.render({ bytes: blackJpeg(400, 300), width: 480, client: 'one', consume }, refused)
    await assert.rejects(render(), full)
    assert.equal(threads.started, 0)
    freeMib = 200
    assert.equal((await render()).width, 400)
    await of.close()
  })

  it('a picture waits for memory, and others have their turns meanwhile', async () => {
    let usedMib = 320
    const of = smallMachine(() => usedMib, { roomWaitMs: PATIENCE_MS })
    const render = (bytes: Uint8Array, client: string) =>
      of.render({ bytes, width: 480, client, consume }, refused)
    const photograph = render(progressive(), 'one')
    assert.equal((await render(blackJpeg(400, 300), 'two')).width, 400)
    usedMib = 200
    assert.equal((await photograph).width, 480)
    await of.close()
  })

  it('pictures that waited for memory in vain end no thread under a later one', async () => {
    let usedMib = 490
    const of = smallMachine(() => usedMib, { roomWaitMs: 600, idleMs: 500 })
    const render = (bytes: Uint8Array) =>
      of.render({ bytes, width: 480, client: 'one', consume }, refused)
    await assert.rejects(render(blackJpeg(400, 300)), full)
    usedMib = 150
    assert.equal((await render(blackJpeg(16_320, 12_240))).width, 480)
    await of.close()
  })

  it('a thread with which the process has grown by three eighths of its memory ends after its picture', async (t) => {
    const threads = countThreads(t)
    let usedMib = 100
    let grows = 0
    const of = smallMachine(() => (usedMib += grows), { idleMs: PATIENCE_MS })
    const render = () =>
      of.render({ bytes: blackJpeg(64, 48), width: 48, client: 'one', consume }, refused)
    for (let i = 0; i < 3; i++) await render()
    assert.equal(threads.started, 1)
    grows = 97
    await render()
    usedMib = 100
    grows = 0
    await render()
    assert.equal(threads.started, 2)
    await of.close()
  })

  it('with 512 MiB a JPEG of 200 megapixels is made smaller, and a progressive one up to 35', async () => {
    const of = smallMachine(() => 150)
    const render = (bytes: Uint8Array) =>
      of.render({ bytes, width: 1_280, client: 'one', consume }, refused)
    const { width, height } = await render(blackJpeg(16_320, 12_240))
    assert.deepEqual([width, height], [1_280, 960])
    assert.equal((await render(blackJpeg(5_980, 5_980, 'interlace=true'))).width, 1_280)
    await assert.rejects(render(blackJpeg(5_990, 5_990, 'interlace=true')), /such as 5982 × 5982/)
    await of.close()
  })

  const QUARTERS = [
    [255, 0, 0, 255],
    [0, 255, 0, 255],
    [0, 0, 255, 255],
    [200, 180, 160, 255],
  ] as const
  const quarters = paint(160, 96, (x, y) => QUARTERS[(y < 48 ? 0 : 2) + (x < 80 ? 0 : 1)]!)
  const isNear = (seen: readonly number[], meant: readonly number[], tolerance: number) => {
    const most = Math.max(...seen.map((value, at) => Math.abs(value - meant[at]!)))
    assert.ok(most <= tolerance, `${seen} for ${meant}`)
  }
  const shown = async (bytes: Uint8Array, width = 480) =>
    renderer.render({ bytes, width, client: 'one', consume }, refused)

  for (const [name, suffix, options, tolerance] of [
    ['JPEG in Display P3', '.jpg[Q=98,subsample-mode=off]', { profile: 'p3' }, 5],
    ['PNG in Display P3', '.png', { profile: 'p3' }, 5],
    ['WebP in Display P3', '.webp[lossless=true]', { profile: 'p3' }, 5],
    ['AVIF in Display P3', '.avif[Q=95,subsample-mode=off]', { profile: 'p3' }, 5],
    ['PNG of 16 bits', '.png', { isDeep: true }, 3],
    ['PNG of few colours', '.png[palette=true]', {}, 3],
    ['PNG by rows of places', '.png[interlace=true]', {}, 3],
    ['progressive JPEG', '.jpg[Q=98,subsample-mode=off,interlace=true]', {}, 3],
  ] as const) {
    it(`${name} keeps its colours, without a profile`, async () => {
      const { bytes } = await shown(encode(quarters, suffix, options))
      assert.equal(Buffer.from(bytes).includes('ICC_PROFILE'), false)
      const picture = decode(bytes)
      for (const [i, colour] of QUARTERS.entries())
        isNear(colourAt(picture, i % 2 ? 0.75 : 0.25, i < 2 ? 0.25 : 0.75), colour, tolerance)
    })
  }

  it('a JPEG in the inks of printers keeps the colours that they have', async () => {
    const inks = encode(quarters, '.jpg[Q=98]', { profile: 'cmyk' })
    const picture = decode((await shown(inks)).bytes)
    isNear(colourAt(picture, 0.75, 0.75), QUARTERS[3], 8)
    isNear(colourAt(picture, 0.25, 0.25), QUARTERS[0], 50)
  })

  it('inks of no known printer are what browsers make of them', async () => {
    const inks = encode(quarters, '.jpg[Q=98,keep=none]', { profile: 'cmyk' })
    const { pixels, width, height } = decodeInks(inks)
    const picture = decode((await shown(inks)).bytes)
    for (const [u, v] of [
      [0.25, 0.25],
      [0.75, 0.25],
      [0.25, 0.75],
      [0.75, 0.75],
    ] as const) {
      const at = 4 * (Math.floor(v * height) * width + Math.floor(u * width))
      const [cyan, magenta, yellow, black] = pixels.subarray(at, at + 4)
      const meant = [cyan!, magenta!, yellow!].map((ink) => ((255 - ink) * (255 - black!)) / 255)
      isNear(colourAt(picture, u, v), meant, 5)
    }
    const large = encode(
      paint(4_000, 40, () => [200, 180, 160, 255]),
      '.jpg[keep=none]',
      {
        profile: 'cmyk',
      },
    )
    assert.equal((await shown(large, 96)).width, 96)
  })

  it('the numbers of a PNG with an exponent in the place of a profile are light by that exponent', async () => {
    const grey = (exponent: number, ...more: Buffer[]) => {
      const plain = plainPng(16, 16, [128, 64, 128, 255])
      const gamma = Buffer.alloc(4)
      gamma.writeUInt32BE(exponent)
      const added = [chunk('gAMA', gamma), ...more]
      return Buffer.concat([plain.subarray(0, 33), ...added, plain.subarray(33)])
    }
    const middle = async (file: Buffer) => colourAt(decode((await shown(file)).bytes), 0.5, 0.5)
    // A gamma of 1 makes 128 of 255 half of the light, which sRGB writes as 188.
    isNear(await middle(grey(100_000)), [188, 137, 188], 3)
    isNear(await middle(grey(45_455)), [128, 60, 128], 3)
    for (const file of [grey(0), grey(1), grey(100_000, chunk('sRGB', Buffer.of(0)))])
      isNear(await middle(file), [128, 64, 128], 3)
  })

  it('an AVIF says by numbers that its colours are those of Display P3', async () => {
    const numbers = ['-color_primaries', 'smpte432', '-color_trc', 'iec61966-2-1']
    assert.equal(isDisplayP3(await movingAvif(64, 64, 1, ...numbers)), true)
    assert.equal(isDisplayP3(await movingAvif(64, 64, 1)), false)
    assert.equal(isDisplayP3(Buffer.from('colrnclx')), false)
  })

  it('a picture is turned as browsers do: JPEG and PNG by their EXIF data, wherever it stands, and WebP never', async () => {
    const sizes: Record<string, [Uint8Array, number, number]> = {
      'JPEG, 8': [jpeg(64, 32, 6), 32, 64],
      'JPEG, 26': [jpeg(64, 32, 6, 26), 32, 64],
      PNG: [encode(quarters, '.png', { orientation: 6 }), 96, 160],
      AVIF: [encode(quarters, '.avif', { orientation: 6 }), 96, 160],
      WebP: [encode(quarters, '.webp', { orientation: 6 }), 160, 96],
    }
    for (const [name, [bytes, width, height]] of Object.entries(sizes)) {
      const rendered = await shown(bytes)
      assert.deepEqual([rendered.width, rendered.height], [width, height], name)
    }
  })

  it('a JPEG with fill bytes between its parts is taken', async () => {
    const plain = jpeg(64, 32, 1)
    const second = 4 + plain.readUInt16BE(4)
    const filled = [plain.subarray(0, second), Buffer.from([0xff]), plain.subarray(second)]
    assert.equal((await shown(Buffer.concat(filled))).width, 64)
  })

  it('a white sign on nothing has no dark rim when it is made smaller', async () => {
    const sign = paint(600, 600, (x, y) => {
      const isSign = Math.abs(Math.hypot(x - 300, y - 300) - 200) < 25
      return isSign ? [255, 255, 255, 255] : [0, 0, 0, 0]
    })
    const { bytes, type } = await shown(encode(sign, '.png'), 96)
    assert.equal(type, 'image/webp')
    const { pixels } = decode(bytes)
    let rim = 0
    for (let at = 0; at < pixels.length; at += 4) {
      const alpha = pixels[at + 3]!
      if (alpha <= 20 || alpha >= 235) continue
      rim += 1
      assert.ok(pixels[at]! >= 240, `${pixels.subarray(at, at + 4)}`)
    }
    assert.ok(rim > 50)
  })

  it('a photograph with a transparent corner is about as large as without', async () => {
    const photo = (corner: number) =>
      paint(800, 600, (x, y) => {
        const light =
          128 + 80 * Math.sin(x / 37) * Math.cos(y / 53) + ((x * 7_919 + y * 104_729) % 13)
        return [light, light * 0.8, 255 - light, x < 20 && y < 20 ? corner : 255]
      })
    const [opaque, cut] = [
      await shown(encode(photo(255), '.png'), 800),
      await shown(encode(photo(0), '.png'), 800),
    ]
    assert.deepEqual([opaque.type, cut.type], ['image/jpeg', 'image/webp'])
    assert.ok(
      cut.bytes.length < 1.2 * opaque.bytes.length,
      `${cut.bytes.length}, ${opaque.bytes.length}`,
    )
  })

  it('a picture is charged by its pixels before it is decoded, also one that turns out to be broken', async () => {
    const file = png(4_000, 4_000, Buffer.alloc(100))
    let charged = 0
    const consume = (bytes: number) => {
      charged += bytes
    }
    const rendered = renderer.render({ bytes: file, width: 96, client: 'one', consume }, refused)
    await assert.rejects(rendered, /cannot be decoded/)
    assert.ok(charged > 40_000_000, `${charged}`)
  })

  it('a picture of an iPhone that is not a JPEG is refused with what to do', async () => {
    const heic = Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0mif1heic', 'latin1')
    await assert.rejects(shown(heic), /HEIC picture.*send it as a JPEG/)
  })

  it('a decoder that is too busy says nothing about the file, and is asked again', async () => {
    const hasty = createRenderer({ timeoutMs: 0 })
    const bytes = png(64, 64, Buffer.alloc(65 * 4 * 64))
    const busy = { code: 'unavailable.overloaded', retryAfterSeconds: 10 }
    const rendered = hasty.render({ bytes, width: 48, client: 'one', consume }, refused)
    await assert.rejects(rendered, busy)
    const files = createSiteFiles({ allowLoopback: true })
    let isBusy = true
    const renders = createPictures(files, {
      close: () => renderer.close(),
      render: (request, refuse) => (isBusy ? hasty : renderer).render(request, refuse),
    })
    const get = () =>
      renders.get({
        url: new URL(`${base}/red.png`),
        width: 48,
        ip: '192.0.2.1',
        consume,
      })
    await assert.rejects(get(), busy)
    isBusy = false
    assert.equal((await get()).type, 'image/jpeg')
    await hasty.close()
  })

  it('pictures of one client do not wait for many of another', async () => {
    const one = createRenderer({ timeoutMs: PATIENCE_MS })
    const bytes = png(1_000, 1_000, Buffer.alloc((1 + 4 * 1_000) * 1_000))
    const order: string[] = []
    const render = async (client: string) => {
      await one.render({ bytes, width: 96, client, consume }, refused)
      order.push(client)
    }
    const many = Array.from({ length: 6 }, () => render('many'))
    await Promise.all([...many, render('few'), render('few')])
    await one.close()
    assert.deepEqual(order.slice(0, 4), ['many', 'few', 'many', 'few'])
  })

  it('no address of this machine or of a private network is reached, by name, number or redirect', async () => {
    const lookups: Record<string, string> = {
      'inside.example': '10.1.2.3',
      'rebound.example': '127.0.0.1',
      'metadata.example': '169.254.169.254',
      'mapped.example': '::ffff:127.0.0.1',
      'unique.example': 'fd00::1',
    }
    const lookup: Lookup = async (name) => [
      { address: lookups[name]!, family: lookups[name]!.includes(':') ? 6 : 4 },
    ]
    const api = create({ allowLoopback: false, lookup })
    asked = []
    const port = new URL(base).port
    const urls = [
      ...Object.keys(lookups).map((name) => `https://${name}/`),
      ...[base, `https://127.0.0.1:${port}/red.png`, `https://localhost:${port}/red.png`],
      ...['https://2130706433/', 'https://0x7f.1/', 'https://[::1]/', 'https://[::ffff:7f00:1]/'],
      ...['https://169.254.169.254/latest/meta-data/', 'https://0/', 'https://10.0.0.1/'],
      ...['http://example.com/', 'file:///etc/passwd', 'ftp://example.com/', 'data:image/png,x'],
      ...['https://example.com:22/', 'https://a:b@example.com/', 'https://１２７.０.０.１/'],
    ]
    for (const url of urls) {
      for (const answer of [await picture(api, url), await preview(api, url)]) {
        assert.equal(answer.statusCode, 400, url)
        assert.equal(JSON.parse(answer.body).field, 'url', url)
      }
    }
    const local = create({ lookup })
    for (const path of ['/inside', '/metadata', '/file']) {
      assert.match(refusal(await picture(local, base + path)), /public address|https:/)
    }
    assert.deepEqual(asked, ['/inside', '/metadata', '/file'])
  })

  it('parameters are refused by name, and pages of other sites get nothing', async () => {
    const api = create()
    const faults: [string, string][] = [
      ['/picture?width=192', 'url'],
      ['/picture?url=x&width=192', 'url'],
      [`/picture?url=${encodeURIComponent(`https://x.example/${'x'.repeat(1_100)}`)}`, 'url'],
      [`/picture?url=${base}/red.png`, 'width'],
      [`/picture?url=${base}/red.png&width=193`, 'width'],
      ['/preview', 'url'],
    ]
    for (const [url, field] of faults) {
      const answer = await api.inject(url)
      assert.equal(answer.statusCode, 400, url)
      assert.equal(JSON.parse(answer.body).field, field, url)
    }
    const headers = { 'sec-fetch-site': 'cross-site' }
    assert.equal((await picture(api, `${base}/red.png`, 192, headers)).statusCode, 403)
  })

  it('a client that has many pictures decoded pays for them', async () => {
    const costs = new CostBudget(
      costLimitsOf({ clientCpuPercent: 1, totalCpuPercent: 1_000 }, 'production'),
    )
    const api = create({ costs })
    const codes = new Set<number>()
    for (const path of ['/svg.png', '/page.png', '/empty.png']) {
      for (const width of [96, 192, 640, 1_280]) {
        codes.add((await picture(api, base + path, width)).statusCode)
      }
      if (codes.has(429)) break
    }
    assert.deepEqual([...codes], [400, 429])
  })

  it('a preview has the texts of a page and only pictures that can be fetched', async () => {
    const api = create()
    const read = async (path: string) => {
      const answer = await preview(api, base + path)
      assert.equal(answer.statusCode, 200, answer.body)
      return JSON.parse(answer.body)
    }
    const site = new URL(base).host
    const page = { kind: 'page', site, contentType: 'text/html; charset=utf-8' }
    assert.deepEqual(await read('/page'), {
      ...page,
      url: `${base}/page`,
      title: 'A <b> page',
      picture: `${base}/red.png`,
    })
    assert.deepEqual(await read('/latin'), {
      ...page,
      contentType: 'text/html; charset=iso-8859-1',
      url: `${base}/latin`,
      title: 'café',
    })
    const plain = { ...page, contentType: 'text/html' }
    assert.deepEqual(await read('/outside'), { ...plain, url: `${base}/outside`, title: 'x' })
    assert.deepEqual(await read('/script'), { ...plain, url: `${base}/script` })
    const url = `${base}/red.png`
    const contentType = 'image/png'
    const picture = { kind: 'picture', site, contentType, url, picture: url }
    assert.deepEqual(await read('/red.png'), picture)
    assert.equal(
      refusal(await preview(api, `${base}/bytes`)),
      'did not answer with a page or a picture',
    )
  })
})
