// Pictures and videos that users upload: what is taken and what is kept of it, who sees it, what it costs, and its end.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { imageSize } from 'image-size'
import pg from 'pg'
import { Registry } from 'prom-client'
import { createNetwork, uploadPicture, uploadPoster } from 'rookery/client'
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash'
import { databaseBytes } from '../src/features/media/kept-bytes.ts'
import { Media } from '../src/features/media/media.ts'
import { createMediaMetrics } from '../src/features/media/metrics.ts'
import { checkRoom, countUpload } from '../src/features/media/quota.ts'
import { mediaRows } from '../src/features/media/tables/media.ts'
import { createRenderer } from '../src/kernel/base/pictures/renderer.ts'
import { castAdd, castRemove, userDataAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { sdk, writersOf } from './app-writes-support.ts'
import { indexed } from './indexed.ts'
import {
  apngOf,
  CORNERS,
  cornersOf,
  exportFiles,
  gifOf,
  mp4Lasting,
  mp4Of,
  mp4WithEndlessSamples,
  photograph,
  plainPng,
  pngOf,
  pngText,
  uploadTo,
  webmLasting,
  webmOf,
  webmOfBlocks,
} from './media-support.ts'
import { PATIENCE_MS } from './patience.ts'
import { movingWebp } from './pictures-support.ts'
import { until } from './until.ts'
import {
  accountEvents,
  createWorld,
  enginesOf,
  type TestAccount,
  testAccount,
  type World,
} from './world.ts'

const HOURLY_BYTES = 200 * 1024 * 1024
const OCTETS = { 'content-type': 'application/octet-stream' }
const GREEN = [0, 128, 0, 255]
/** The largest red. */
const RED = [255, 0, 0, 255]

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

const bytesAt = async (url: string): Promise<Buffer> => {
  const response = await fetch(url)
  assert.equal(response.status, 200, url)
  return Buffer.from(await response.arrayBuffer())
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`pictures and videos (${engine})`, { concurrency: 1 }, () => {
    let world: World
    let next = 10

    before(async () => {
      world = await createWorld({
        engine,
        env: { ROOKERY_VIEWS: 'on', ROOKERY_MEDIA_VIDEO_MB: '1' },
      })
    })
    after(() => world.close())

    /** Somebody who has uploaded nothing yet. */
    const somebody = () => world.account(next++)
    const upload = (account: TestAccount, bytes: Uint8Array, altText?: string) =>
      uploadTo(world, account, bytes, altText)
    const stored = async (account: TestAccount, bytes: Uint8Array, altText?: string) => {
      const { status, body } = await upload(account, bytes, altText)
      assert.equal(status, 200, JSON.stringify(body))
      return body.result
    }
    const statusOf = async (url: string) => (await fetch(url)).status
    const cast = async (account: TestAccount, ...urls: string[]) => {
      const embeds = urls.map((value) => ({ embed: { case: 'url', value } as const }))
      const message = world.sign(account, castAdd(world.origin(account), { text: 'look', embeds }))
      assert.equal((await world.submit(message)).status, 200)
      return message
    }

    it('a picture is kept in two sizes at addresses that never change and run nothing', async () => {
      const picture = await stored(await somebody(), plainPng(2_000, 1_000, RED), 'All red')
      assert.equal(picture.contentType, 'image/jpeg')
      assert.deepEqual([picture.width, picture.height], [1_600, 800])
      assert.equal(picture.altText, 'All red')
      assert.match(picture.url, /\/media\/[0-9a-f]{64}\.jpg$/)
      assert.ok(picture.url.startsWith(world.app.urls.web))
      const response = await fetch(picture.url)
      const header = (name: string) => response.headers.get(name)
      assert.equal(header('content-type'), 'image/jpeg')
      assert.equal(header('x-content-type-options'), 'nosniff')
      assert.equal(header('content-security-policy'), "default-src 'none'; sandbox")
      assert.match(header('cache-control')!, /immutable/)
      const small = imageSize(await bytesAt(picture.smallUrl))
      assert.deepEqual([small.width, small.height], [480, 240])
      const etag = header('etag')!
      const again = await fetch(picture.url, { headers: { 'if-none-match': etag } })
      assert.equal(again.status, 304)
      assert.equal(await statusOf(picture.url.replace('.jpg', '.html')), 404)
      assert.equal(await statusOf(`${world.app.urls.web}/media/${'0'.repeat(64)}.jpg`), 404)
    })

    it('photographs are turned upright, and nothing that their camera noted is left', async () => {
      const account = await somebody()
      for (let orientation = 1; orientation <= 8; orientation++) {
        const file = photograph(orientation, 'Smiths garden')
        assert.equal(imageSize(file).orientation, orientation)
        const { url, smallUrl } = await stored(account, file)
        for (const one of [url, smallUrl]) {
          const bytes = await bytesAt(one)
          assert.equal(bytes.includes('Exif'), false)
          assert.equal(bytes.includes('Smiths'), false)
          for (const [i, corner] of cornersOf(bytes).entries()) {
            const far = corner.map((value, at) => Math.abs(value - CORNERS[i]![at]!))
            assert.ok(Math.max(...far) < 60, `orientation ${orientation}: ${corner}`)
          }
        }
      }
    })

    it('a moving GIF is kept without comments and without what is behind its end', async () => {
      const gif = await stored(
        await somebody(),
        gifOf(3, 'secret words', '<script>alert(1)</script>'),
      )
      assert.equal(gif.contentType, 'image/gif')
      const bytes = await bytesAt(gif.url)
      assert.deepEqual(bytes, gifOf(3))
      assert.equal((await fetch(gif.smallUrl)).headers.get('content-type'), 'image/jpeg')
    })

    it('moving WebP and PNG keep moving, without what programs have noted', async () => {
      const account = await somebody()
      const webp = movingWebp(64, 48, [RED, GREEN, [0, 0, 255, 255]])
      // EXIF data comes last, and the file says how long it is.
      const note = Buffer.from('EXIF\x0c\0\0\0Smiths house', 'latin1')
      const noted = Buffer.concat([webp, note])
      noted.writeUInt32LE(noted.length - 8, 4)
      const files = { 'image/webp': noted, 'image/png': apngOf(64, 48, 'Smiths house') }
      for (const [type, file] of Object.entries(files)) {
        const { url, smallUrl, contentType, width, height } = await stored(account, file)
        assert.deepEqual([contentType, width, height], [type, 64, 48])
        const bytes = await bytesAt(url)
        assert.equal(bytes.includes('Smiths'), false)
        const frames = type === 'image/webp' ? 'ANMF' : 'fcTL'
        assert.equal(bytes.toString('latin1').split(frames).length, type === 'image/webp' ? 4 : 3)
        assert.match((await fetch(smallUrl)).headers.get('content-type')!, /^image\/(?:jpeg|webp)$/)
      }
      const tooWide = apngOf(64, 48, '')
      tooWide.writeUInt32BE(5_000, 16)
      assert.match(
        (await upload(account, tooWide)).body.errors[0].message,
        /moves and has too many pixels/,
      )
    })

    it('GIFs that browsers show are taken: without their last byte, and with a frame over the edge', async () => {
      const account = await somebody()
      const cut = await stored(account, gifOf(3).subarray(0, -1))
      assert.deepEqual(await bytesAt(cut.url), gifOf(3))
      const over = gifOf(4)
      over[over.lastIndexOf(0x2c) + 1] = 1
      assert.equal((await stored(account, over)).contentType, 'image/gif')
    })

    it('a file whose bytes are lost is not there, and is there again when it is uploaded again', async () => {
      const account = await somebody()
      const bytes = plainPng(611, 20, RED)
      const { url, smallUrl } = await stored(account, bytes)
      const hash = Buffer.from(/[0-9a-f]{64}/.exec(url)![0], 'hex')
      const media = await world.app.storage.of(mediaRows).find(hash)
      await world.app.storage.write('all/media', (tx) =>
        tx.of(mediaRows).removeParts(media!.object),
      )
      assert.deepEqual([await statusOf(url), await statusOf(smallUrl)], [404, 404])
      assert.equal((await stored(account, bytes)).url, url)
      assert.deepEqual([await statusOf(url), await statusOf(smallUrl)], [200, 200])
    })

    /** Sends the picture that stands for a video. */
    async function setPoster(account: TestAccount, url: string, bytes: Uint8Array) {
      const query = new URLSearchParams({ url })
      const response = await fetch(`${world.app.urls.platform}/v1/media/poster?${query}`, {
        method: 'PUT',
        headers: { ...OCTETS, authorization: `Bearer ${world.token(account)}` },
        body: bytes as Uint8Array<ArrayBuffer>,
      })
      return { status: response.status, body: (await response.json()) as Json }
    }

    it('a video says how long it is, and its uploader is told when it may not play everywhere', async () => {
      const account = await somebody()
      const video = mp4Of('a film', 'place', 'name')
      const plain = await stored(account, video)
      assert.deepEqual([plain.durationSeconds, plain.warnings], [2.5, []])
      const hevc = Buffer.from(video)
      hevc.write('hvc1', hevc.indexOf('avc1'))
      const [warning] = (await stored(account, hevc)).warnings
      assert.match(warning, /may not play everywhere: it is coded as HEVC \(H\.265\)/)
      const picture = await stored(account, plainPng(41, 20, RED))
      assert.deepEqual([picture.durationSeconds, picture.warnings], [undefined, []])
    })

    it('a video that says it takes longer than a day is taken as one that does not say it, and an erasure removes it', async () => {
      const account = await somebody()
      const daySeconds = 86_400
      const day = await stored(account, mp4Lasting(BigInt(daySeconds)))
      assert.equal(day.durationSeconds, daySeconds)
      const tooLong = [
        ...[mp4Lasting(BigInt(daySeconds + 1)), mp4Lasting(2n ** 52n), mp4Lasting(2n ** 62n)],
        ...[webmLasting(1e18), webmLasting(1e300), webmLasting(-1), webmLasting(Number.NaN)],
      ]
      for (const file of tooLong) {
        for (const time of ['new', 'known']) {
          assert.equal((await stored(account, file)).durationSeconds, undefined, time)
        }
      }
      const { storage } = world.app
      const erased = await world.operate(`/moderation/accounts/${account.fid}/erase`, {
        body: { actor: 'test', reason: 'asked for' },
      })
      assert.equal(erased.status, 200, JSON.stringify(erased.body))
      const { bytesOf } = storage.of(mediaRows)
      await until(async () => (await bytesOf(account.fid)) === 0, 'the erasure removes them')
    })

    it('a video has the picture that its uploader has set, once, and it counts and ends with the video', async () => {
      const account = await somebody()
      const other = await somebody()
      const { url, bytes } = await stored(account, mp4Of('to be shown', 'place', 'name'))
      const red = plainPng(900, 300, RED, pngText('Smiths secret'))
      const set = await setPoster(account, url, red)
      assert.equal(set.status, 200, JSON.stringify(set.body))
      const { smallUrl, durationSeconds, bytes: more } = set.body.result
      assert.equal(durationSeconds, 2.5)
      const poster = await bytesAt(smallUrl)
      assert.deepEqual(imageSize(poster), { width: 640, height: 213, type: 'jpg' })
      assert.equal(poster.includes('Smiths'), false)
      assert.equal(more, bytes + poster.length)
      const { storage } = world.app
      assert.equal(await storage.of(mediaRows).bytesOf(account.fid), more)
      const again = await setPoster(account, url, plainPng(10, 10, GREEN))
      assert.equal(again.body.result.smallUrl, smallUrl)
      assert.deepEqual(await bytesAt(smallUrl), poster)
      const known = await stored(other, mp4Of('to be shown', 'place', 'name'))
      assert.deepEqual([known.smallUrl, known.bytes], [smallUrl, more])
      const { hash: made } = await cast(account, url, `${url}?a=b.c#t=5`)
      const read = `${world.app.urls.app}/v2/farcaster/cast?type=hash&identifier=${toHex(made)}`
      let found: Json
      await until(async () => {
        const answer = await fetch(read, { headers: { 'x-api-key': 'development' } })
        found = await answer.json()
        return answer.status === 200
      }, 'the cast is shown')
      for (const { metadata } of found.cast.embeds) {
        assert.deepEqual(metadata.video, {
          duration_s: 2.5,
          stream: [{ width_px: 320, height_px: 240 }],
          poster_url: smallUrl,
        })
      }
      assert.equal(found.cast.embeds.length, 2)
      const hash = Buffer.from(/[0-9a-f]{64}/.exec(url)![0], 'hex')
      const { object } = (await storage.of(mediaRows).find(hash))!
      const media = await storage.of(mediaRows).totals()
      await world.operate('/moderation/files/remove', {
        body: { url, actor: 'test', reason: 'a test' },
      })
      assert.equal(await statusOf(smallUrl), 404)
      assert.equal(await storage.of(mediaRows).partBytes(object, 'small'), 0)
      assert.equal((await storage.of(mediaRows).totals()).bytes, media.bytes - more)
    })

    it('a video whose picture is lost has none once it is uploaded again, and gets another', async () => {
      const account = await somebody()
      const video = mp4Of('with a lost picture', 'place', 'name')
      const { url, bytes } = await stored(account, video)
      assert.equal((await setPoster(account, url, plainPng(90, 30, RED))).status, 200)
      const { storage } = world.app
      const { find, part, bytesOf, totals } = storage.of(mediaRows)
      const hash = Buffer.from(/[0-9a-f]{64}/.exec(url)![0], 'hex')
      const { object, small_bytes } = (await find(hash))!
      const large = (await part(object, 'large', 0))!
      await storage.write('all/media', async (tx) => {
        await tx.of(mediaRows).removeParts(object)
        await tx.of(mediaRows).putPart(large)
      })
      const before = await totals()
      const again = await stored(account, video)
      assert.deepEqual([again.url, again.smallUrl, again.bytes], [url, undefined, bytes])
      assert.equal(await bytesOf(account.fid), bytes)
      assert.equal((await totals()).bytes, before.bytes - small_bytes)
      const lost = (await world.operate('/media/lost')).body.lost as readonly { path: string }[]
      assert.ok(lost.every(({ path }) => !url.endsWith(path)))
      const { status, body } = await setPoster(account, url, plainPng(90, 30, GREEN))
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(await statusOf(body.result.smallUrl), 200)
      assert.equal(await bytesOf(account.fid), body.result.bytes)
    })

    it('nothing is left of the picture for a video that was removed meanwhile, or that has no room', async (t) => {
      const account = await somebody()
      const { fid } = account
      const { url, bytes } = await stored(account, mp4Of('to be removed', 'place', 'name'))
      const hash = Buffer.from(/[0-9a-f]{64}/.exec(url)![0], 'hex')
      const { storage } = world.app
      const { object } = (await storage.of(mediaRows).find(hash))!
      const renderer = createRenderer()
      t.after(() => renderer.close())
      const kept = databaseBytes(storage)
      const mediaWith = (bytesPerFid: number, beforePut = async () => {}) =>
        new Media({
          ...{ storage, renderer, nowMs: world.clock.now, publicUrl: () => world.app.urls.web! },
          kept: {
            ...kept,
            async put(...file) {
              await beforePut()
              await kept.put(...file)
            },
          },
          metrics: createMediaMetrics(new Registry(), storage),
          limits: async () => ({ bytesPerFid, maxBytes: 1e12, maxVideoBytes: 1e6 }),
          mostVideoBytes: 1e6,
        })
      const poster = { fid, url, bytes: plainPng(90, 30, RED), consume: () => {} }
      const full = mediaWith(bytes)
      await assert.rejects(full.uploadPoster(poster), { code: 'bad_request.no_storage' })
      assert.equal(await storage.of(mediaRows).partBytes(object, 'small'), 0)
      const removed = mediaWith(1e9, async () => void (await removed.remove(hash, fid)))
      await assert.rejects(removed.uploadPoster(poster), { code: 'not_found' })
      assert.equal(await storage.of(mediaRows).partBytes(object, 'small'), 0)
    })

    it('a picture for a video is refused from others, for a picture, and when it is none; who uploads what others have sets none', async () => {
      const account = await somebody()
      const other = await somebody()
      const { url } = await stored(account, mp4Of('of two', 'place', 'name'))
      assert.equal((await setPoster(other, url, plainPng(9, 9, RED))).status, 404)
      const none = await setPoster(account, url, mp4Of('a', 'b', 'c'))
      assert.deepEqual([none.status, none.body.field], [400, 'body'])
      const picture = await stored(account, plainPng(42, 20, RED))
      const still = await setPoster(account, picture.url, plainPng(9, 9, RED))
      assert.deepEqual([still.status, still.body.field], [400, 'url'])
      await stored(other, mp4Of('of two', 'place', 'name'))
      const shared = await setPoster(other, url, plainPng(9, 9, RED))
      assert.deepEqual([shared.status, shared.body.result.smallUrl], [200, undefined])
    })

    it('a GIF with one frame becomes a picture like others', async () => {
      assert.equal((await stored(await somebody(), gifOf(1))).contentType, 'image/jpeg')
    })

    it('videos keep picture and sound, lose places, names and times, and are read in ranges', async () => {
      const account = await somebody()
      const original = mp4Of('moving picture', 'N52 31 E13 24', 'Smiths camera')
      const { url, contentType, width, smallUrl } = await stored(account, original)
      assert.deepEqual([contentType, width, smallUrl], ['video/mp4', 320, undefined])
      const bytes = await bytesAt(url)
      assert.equal(bytes.length, original.length)
      assert.ok(bytes.includes('moving picture'))
      const words = ['N52', 'Smiths', 'xyz', 'gps ', 'XMP_', 'loci', 'sefd', '\x11\x22\x33\x44']
      for (const gone of words) {
        assert.equal(bytes.includes(Buffer.from(gone, 'latin1')), false, gone)
      }
      const webm = await stored(account, webmOf('moving picture', 'Smiths title'))
      assert.deepEqual([webm.contentType, webm.width, webm.height], ['video/webm', 320, 240])
      const cleaned = await bytesAt(webm.url)
      assert.ok(cleaned.includes('moving picture'))
      assert.equal(cleaned.includes('Smiths'), false)
      const part = (range: string) => fetch(url, { headers: { range } })
      const second = await part('bytes=8-15')
      assert.equal(second.status, 206)
      assert.equal(second.headers.get('content-range'), `bytes 8-15/${bytes.length}`)
      assert.deepEqual(Buffer.from(await second.arrayBuffer()), bytes.subarray(8, 16))
      assert.equal((await part('bytes=8-')).headers.get('content-length'), `${bytes.length - 8}`)
      assert.equal((await part(`bytes=${bytes.length}-`)).status, 416)
      assert.equal((await part('bytes=9-8')).status, 200)
      const last = await part('bytes=-10')
      assert.equal(last.status, 206)
      const [from, to] = [bytes.length - 10, bytes.length - 1]
      assert.equal(last.headers.get('content-range'), `bytes ${from}-${to}/${bytes.length}`)
      assert.deepEqual(Buffer.from(await last.arrayBuffer()), bytes.subarray(-10))
      const all = await part(`bytes=-${bytes.length + 1}`)
      assert.deepEqual([all.status, (await all.arrayBuffer()).byteLength], [206, bytes.length])
      assert.equal((await part('bytes=-0')).status, 416)
      assert.equal((await part('bytes=-')).status, 200)
    })

    const html = '<!doctype html><script>alert(1)</script>'
    const hugeGif = gifOf(1)
    hugeGif.set([255, 255, 255, 255], 6)
    const wideFrame = gifOf(2)
    wideFrame.set([255, 255, 255, 255], wideFrame.indexOf(0x2c) + 5)
    const time = [0x21, 0xf9, 4, 0, 10, 0, 0, 0]
    const manyTimes = Buffer.concat([
      gifOf(1).subarray(0, -1),
      Buffer.from(Array.from({ length: 4_000 }, () => time).flat()),
      Buffer.from([0x3b]),
    ])
    const cutMp4 = mp4Of('a', 'b', 'c').subarray(0, 150)
    const REFUSED: [name: string, bytes: Uint8Array, text: RegExp][] = [
      [
        'SVG',
        Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${html}</svg>`),
        /is not a picture/,
      ],
      ['HTML', Buffer.from(html), /is not a picture/],
      [
        'HTML behind the signature of PNG',
        Buffer.from(`\x89PNG\r\n\x1a\n${html}`, 'latin1'),
        /has no dimensions|cannot be decoded/,
      ],
      ['nothing', Buffer.alloc(0), /is not a picture/],
      ['PDF', Buffer.from('%PDF-1.7'), /is not a picture/],
      ['a PNG of 65,535 × 65,535', pngOf(65_535, 65_535, Buffer.alloc(0)), /too many pixels/],
      [
        'a PNG with a part of its pixels',
        pngOf(5_000, 5_000, Buffer.alloc(1_000_000)),
        /cannot be decoded/,
      ],
      ['a PNG that is cut off', plainPng(64, 64, RED).subarray(0, 60), /cannot be decoded/],
      ['a GIF of 65,535 × 65,535', hugeGif, /too many pixels/],
      ['a GIF with a frame of 65,535 × 65,535', wideFrame, /too many pixels/],
      ['a GIF with more times than frames', manyTimes, /too many extensions/],
      ['a GIF that is cut off', gifOf(3).subarray(0, 60), /is cut off/],
      ['an MP4 that is cut off', cutMp4, /is cut off/],
      [
        'a picture in an MP4 container',
        Buffer.from('\0\0\0\x10ftypheic\0\0\0\0', 'latin1'),
        /is a HEIC picture.*send it as a JPEG/,
      ],
      ['MP4 of an unknown kind', mp4Of('a', 'b', 'c').fill('none', 8, 24), /is no MP4 video/],
      ['WebM of too many elements', webmOfBlocks(100_000), /too many elements/],
      ['MP4 with samples without end', mp4WithEndlessSamples(9), /on top of each other/],
      ['WebM that is cut off', webmOf('a', 'b').subarray(0, 60), /is cut off|no moving picture/],
      [
        'Matroska',
        Buffer.from(webmOf('a', 'b').toString('latin1').replace('webm', 'matr'), 'latin1'),
        /is no WebM/,
      ],
    ]
    for (const [name, bytes, text] of REFUSED) {
      it(`an upload of this kind is refused: ${name}`, async () => {
        const { status, body } = await upload(await world.account(9), bytes)
        assert.equal(status, 400, JSON.stringify(body))
        assert.match(body.errors[0].message, text)
        assert.equal(body.field, 'body', JSON.stringify(body))
      })
    }

    it('a picture that is a document too is kept as its pixels alone', async () => {
      const file = Buffer.concat([plainPng(8, 8, GREEN, pngText(html)), Buffer.from(html)])
      const bytes = await bytesAt((await stored(await somebody(), file)).url)
      assert.equal(bytes.includes('script'), false)
    })

    it('files that are too large are refused before they are decoded', async () => {
      const account = await somebody()
      const picture = Buffer.concat([plainPng(8, 8, RED), Buffer.alloc(12 * 1024 * 1024)])
      assert.equal((await upload(account, picture)).status, 413)
      const video = Buffer.concat([
        mp4Of('a', 'b', 'c'),
        Buffer.from('\0\x0f\x42\x40free', 'latin1'),
        Buffer.alloc(1_000_000),
      ])
      assert.equal((await upload(account, video)).status, 413)
    })

    it('who uploads has to say who it is, and may not be suspended', async () => {
      const response = await fetch(`${world.app.urls.platform}/v1/media`, {
        method: 'POST',
        headers: OCTETS,
        body: plainPng(8, 8, RED) as Uint8Array<ArrayBuffer>,
      })
      assert.equal(response.status, 401)
      const account = await somebody()
      const { url } = await stored(account, plainPng(9, 9, RED))
      const moderate = (what: string) =>
        world.operate(`/moderation/accounts/${account.fid}/${what}`, {
          body: { actor: 'test', reason: 'test' },
        })
      assert.equal((await moderate('suspend')).status, 200)
      assert.equal((await upload(account, plainPng(8, 8, RED))).status, 403)
      assert.equal(await statusOf(url), 404)
      assert.equal((await moderate('restore')).status, 200)
      assert.equal(await statusOf(url), 200)
    })

    it('an upload without a valid token or key is refused before its body arrives', async (t) => {
      const { platform, app } = world.app.urls
      const requests = [
        [platform, '/v1/media', 'accept: */*'],
        [platform, '/v1/media', 'authorization: Bearer a.b.c'],
        [app, '/v2/farcaster/media?signer_uuid=a', 'x-api-key: nobody'],
        [app, '/v2/farcaster/media?signer_uuid=a', 'x-api-key: web'],
      ] as const
      for (const [url, path, header] of requests) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1')
        t.after(() => socket.destroy())
        const lines = [`POST ${path} HTTP/1.1`, 'host: a', header, 'content-length: 900000']
        socket.write(`${[...lines, 'content-type: application/octet-stream'].join('\r\n')}\r\n\r\n`)
        const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) })
        assert.match(
          String(answer),
          /^HTTP\/1.1 40[13] [\s\S]*connection: close/i,
          `${path} ${header}`,
        )
      }
    })

    it('an hour has 60 uploads of a fid, and the next one is told when to come again', async () => {
      const account = await somebody()
      for (let i = 0; i < 60; i++) await upload(account, Buffer.from('nothing'))
      const { status, headers } = await upload(account, plainPng(8, 8, RED))
      assert.equal(status, 429)
      assert.ok(Number(headers.get('retry-after')) > 3_000)
      world.clock.advance(HOUR_MS)
      await stored(account, plainPng(8, 8, RED))
    })

    it('an hour has 200 MB of uploads of a fid, refused ones included', async () => {
      const { fid } = await somebody()
      const limits = async () => ({ bytesPerFid: 1e9, maxBytes: 1e12 })
      const { storage } = world.app
      const consume = (bytes: number, after = 0) => {
        const nowMs = () => world.clock.now() + after
        return countUpload({ storage, limits, nowMs }, { fid, bytes }, async () => {})
      }
      await consume(HOURLY_BYTES - 1)
      await consume(1)
      await assert.rejects(consume(1), ({ code, retryAfterSeconds }: Rejection) => {
        assert.equal(code, 'rate_limited')
        return (retryAfterSeconds ?? 0) > 3_500
      })
      await consume(1, HOUR_MS)
    })

    it('an upload that the server is not able to do is given back, one of a bad file is not', async () => {
      const { fid } = await somebody()
      const { storage } = world.app
      const limits = async () => ({ bytesPerFid: 1e9, maxBytes: 1e12 })
      const upload = (bytes: number, error?: Rejection) =>
        countUpload({ storage, limits, nowMs: world.clock.now }, { fid, bytes }, async () => {
          if (error) throw error
        })
      const full = new Rejection('unavailable.overloaded', 'too little memory')
      for (let i = 0; i < 61; i++) await assert.rejects(upload(HOURLY_BYTES, full), full)
      await upload(HOURLY_BYTES - 1)
      const bad = new Rejection('bad_request.validation_failure', 'no picture')
      await assert.rejects(upload(1, bad), bad)
      await assert.rejects(upload(1), { code: 'rate_limited' })
    })

    /** What uploads go through, with a renderer of the test. */
    const mediaWith = (renderer: ReturnType<typeof createRenderer>) => {
      const { storage } = world.app
      return new Media({
        ...{ storage, renderer, nowMs: world.clock.now, publicUrl: () => world.app.urls.web! },
        kept: databaseBytes(storage),
        metrics: createMediaMetrics(new Registry(), storage),
        limits: async () => ({ bytesPerFid: 1e9, maxBytes: 1e12, maxVideoBytes: 1e6 }),
        mostVideoBytes: 1e6,
      })
    }

    it('a member whose pictures a server without memory refuses may upload as many afterwards', async (t) => {
      const { fid } = await somebody()
      const { storage } = world.app
      let usedBytes = 2 ** 29
      const renderer = createRenderer({
        memoryBytes: 2 ** 29,
        usedBytes: () => usedBytes,
        roomWaitMs: 0,
      })
      t.after(() => renderer.close())
      const media = mediaWith(renderer)
      const upload = () =>
        media.upload({ fid, bytes: plainPng(90, 30, RED), alt: '', consume: () => {} })
      await assert.rejects(upload(), { code: 'unavailable.overloaded' })
      const [used] = await storage.quotas.used('media uploads', [String(fid)])
      assert.deepEqual([used?.count, used?.amount], [0, 0])
      usedBytes = 0
      assert.equal((await upload()).width, 90)
    })

    it('a video is charged for each of its elements before it is kept, in WebM as many as it has', async (t) => {
      const { fid } = await somebody()
      const { storage } = world.app
      const renderer = createRenderer()
      t.after(() => renderer.close())
      const media = mediaWith(renderer)
      /** The price of an upload: that of an answer of so many bytes. */
      const priceOf = async (bytes: Uint8Array) => {
        const charged: number[] = []
        await media.upload({ fid, bytes, alt: '', consume: (more) => charged.push(more) })
        assert.equal(charged.length, 1)
        return charged[0]!
      }
      const [few, many] = [await priceOf(webmOfBlocks(100)), await priceOf(webmOfBlocks(20_100))]
      assert.ok(few > 0)
      // 20,000 elements take about twenty milliseconds: as an answer of a megabyte.
      assert.ok(many - few >= 1e6, `${many - few} bytes for 20,000 elements`)
      const refuse = () => {
        throw new Rejection('rate_limited', 'nothing is left')
      }
      const { files } = await storage.of(mediaRows).totals()
      const bytes = webmOfBlocks(300)
      const upload = media.upload({ fid, bytes, alt: '', consume: refuse })
      await assert.rejects(upload, { code: 'rate_limited' })
      assert.equal((await storage.of(mediaRows).totals()).files, files)
    })

    it('an account keeps as many bytes as the server allows and not one more, and the server as many in all', async () => {
      const account = await somebody()
      const { bytes } = await stored(account, plainPng(31, 31, RED))
      const room = (limits: { bytesPerFid: number; maxBytes: number }, more: number) =>
        world.app.storage.write('all/media', (tx) =>
          checkRoom(tx, limits, { fid: account.fid, bytes: more }),
        )
      const { bytes: all } = await world.app.storage.of(mediaRows).totals()
      await room({ bytesPerFid: bytes + 9, maxBytes: all + 9 }, 9)
      const refusedWith = (code: string) => (error: Rejection) => error.code === code
      await assert.rejects(
        room({ bytesPerFid: bytes + 8, maxBytes: all + 9 }, 9),
        refusedWith('bad_request.no_storage'),
      )
      await assert.rejects(
        room({ bytesPerFid: bytes + 9, maxBytes: all + 8 }, 9),
        refusedWith('unavailable.overloaded'),
      )
      await assert.rejects(
        room({ bytesPerFid: 0, maxBytes: all + 9 }, 0),
        refusedWith('bad_request.no_storage'),
      )
    })

    it('the operator removes one file for all who have it, and they read why', async () => {
      const [first, second] = [await somebody(), await somebody()]
      const bytes = plainPng(77, 77, [5, 6, 7, 255])
      const [{ url, smallUrl }, again] = [await stored(first, bytes), await stored(second, bytes)]
      assert.equal(again.url, url)
      const kept = await stored(first, plainPng(78, 78, [5, 6, 7, 255]))
      const remove = (address: string) =>
        world.operate('/moderation/files/remove', {
          body: { url: address, reason: 'not theirs', actor: 'ann' },
        })
      const { status, body } = await remove(url)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(body.fids, [first.fid, second.fid])
      assert.deepEqual([await statusOf(url), await statusOf(kept.url)], [404, 200])
      if (smallUrl) assert.equal(await statusOf(smallUrl), 404)
      assert.equal((await remove(url)).status, 404)
      for (const account of [first, second]) {
        const own = await world.platform('/v1/own-moderation', { token: world.token(account) })
        const [decision] = own.body.result.decisions
        assert.deepEqual([decision.action, decision.reason], ['remove-file', 'not theirs'])
      }
    })

    it('the app API answers what a file is and what its author says about it', async () => {
      const writers = writersOf(world)
      const client = sdk(world)
      const app = await writers.registry.person(900)
      const writer = await writers.writer(client, app, 901)
      const url = `${world.app.urls.app}/v2/farcaster/media`
      const headers = { ...OCTETS, 'x-api-key': 'development' }
      const query = new URLSearchParams({
        signer_uuid: writer.signerUuid,
        alt_text: 'A <b>hen</b>',
      })
      const body = plainPng(40, 20, GREEN) as Uint8Array<ArrayBuffer>
      const response = await fetch(`${url}?${query}`, { method: 'POST', headers, body })
      const uploaded = (await response.json()) as Json
      assert.equal(response.status, 200, JSON.stringify(uploaded))
      const web = { ...headers, 'x-api-key': 'web' }
      assert.equal(
        (await fetch(`${url}?${query}`, { method: 'POST', headers: web, body })).status,
        403,
      )
      const { cast: made } = await client.publishCast({
        signerUuid: writer.signerUuid,
        text: 'look',
        embeds: [{ url: uploaded.url } as Json],
      })
      const read = async () => {
        const { cast } = await client.lookupCastByHashOrUrl({ identifier: made.hash, type: 'hash' })
        return cast.embeds[0] as Json
      }
      const embed = await read()
      assert.equal(embed.alt_text, 'A <b>hen</b>')
      assert.equal(embed.metadata.content_type, 'image/jpeg')
      assert.deepEqual(embed.metadata.image, { width_px: 40, height_px: 20 })
      const changed = await fetch(url, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-api-key': 'development' },
        body: JSON.stringify({
          signer_uuid: writer.signerUuid,
          url: uploaded.url,
          alt_text: 'A hen',
        }),
      })
      assert.equal(changed.status, 200)
      assert.equal((await read()).alt_text, 'A hen')
    })

    it('embeds of pictures have previews with their colours and shapes, which are a small part of an answer and end with the file', async () => {
      const account = await somebody()
      const files = [
        plainPng(300, 150, GREEN),
        plainPng(150, 300, RED),
        plainPng(90, 90, [0, 0, 255, 128]),
        gifOf(3),
      ]
      const urls = await Promise.all(files.map(async (bytes) => (await stored(account, bytes)).url))
      const { hash } = await cast(account, ...urls)
      await indexed(world.app)
      const read = async () => {
        const query = new URLSearchParams({ identifier: toHex(hash), type: 'hash' })
        const headers = { 'x-api-key': 'development' }
        const answer = await fetch(`${world.app.urls.app}/v2/farcaster/cast?${query}`, { headers })
        return ((await answer.json()) as Json).cast
      }
      const found = await read()
      const previews: Buffer[] = found.embeds.map((one: Json) =>
        Buffer.from(one.thumbhash, 'base64'),
      )
      for (const preview of previews) assert.ok(preview.length <= 26, `${preview.length} bytes`)
      const [wide, high, clear] = previews as [Buffer, Buffer, Buffer]
      const colours = [wide, high, clear].map((one) => thumbHashToAverageRGBA(one))
      const rounded = colours.map(({ r, g, b, a }) => [r, g, b, a].map((part) => +part.toFixed(1)))
      assert.deepEqual(rounded, [
        [0, 0.5, 0, 1],
        [1, 0, 0, 1],
        [0, 0, 1, 0.5],
      ])
      assert.ok(thumbHashToApproximateAspectRatio(wide) > 1.7)
      assert.ok(thumbHashToApproximateAspectRatio(high) < 0.6)
      const without = { ...found, embeds: found.embeds.map(({ thumbhash, ...one }: Json) => one) }
      const grown = JSON.stringify(found).length / JSON.stringify(without).length
      assert.ok(grown < 1.1, `the answer grows by the factor ${grown}`)
      const { status } = await world.operate('/moderation/files/remove', {
        body: { url: urls[0], reason: 'not theirs', actor: 'ann' },
      })
      assert.equal(status, 200)
      const after = (await read()).embeds.map((one: Json) => 'thumbhash' in one)
      assert.deepEqual(after, [false, true, true, true])
    })

    it('an author says that a file is sensitive, which embeds tell until the author takes it back', async () => {
      const account = await somebody()
      const { url } = await stored(account, plainPng(41, 20, GREEN), 'A wound')
      const { hash } = await cast(account, url)
      await indexed(world.app)
      const embed = async () => {
        const query = new URLSearchParams({ identifier: toHex(hash), type: 'hash' })
        const headers = { 'x-api-key': 'development' }
        const answer = await fetch(`${world.app.urls.app}/v2/farcaster/cast?${query}`, { headers })
        return ((await answer.json()) as Json).cast.embeds[0]
      }
      assert.equal('sensitive' in (await embed()), false)
      const feed = async () =>
        (await fetch(`${world.app.urls.web}/@!${account.fid}/feed.atom`)).text()
      assert.match(await feed(), /&lt;img/)
      const say = async (by: TestAccount, words: object) => {
        const headers = {
          'content-type': 'application/json',
          authorization: `Bearer ${world.token(by)}`,
        }
        const body = JSON.stringify({ url, ...words })
        return fetch(`${world.app.urls.platform}/v1/media`, { method: 'PATCH', headers, body })
      }
      assert.equal((await say(await somebody(), { sensitive: true })).status, 404)
      assert.equal((await say(account, { sensitive: 'yes' })).status, 400)
      assert.equal((await say(account, { sensitive: true })).status, 200)
      assert.doesNotMatch(await feed(), /&lt;img/)
      const marked = await embed()
      assert.deepEqual([marked.sensitive, marked.alt_text], [true, 'A wound'])
      const again = await stored(account, plainPng(41, 20, GREEN), 'Again')
      assert.equal(again.sensitive, true, 'sending it again keeps that')
      assert.match(again.warnings[0], /uploaded this file before/)
      const silent = await stored(account, plainPng(41, 20, GREEN))
      assert.equal(silent.altText, 'Again', 'without words, the earlier ones stay')
      const blank = await stored(account, plainPng(41, 20, GREEN), ' \n ')
      assert.equal(blank.altText, 'Again', 'white space is no description')
      const renamed = await say(account, { altText: '  Again\n' })
      assert.equal(((await renamed.json()) as Json).result.altText, 'Again')
      assert.equal((await say(account, { sensitive: false })).status, 200)
      const unmarked = await embed()
      assert.deepEqual(['sensitive' in unmarked, unmarked.alt_text], [false, 'Again'])
    })

    it('where the operator asks for descriptions, casts by apps have them, and the rule is told and ends', async () => {
      const writers = writersOf(world)
      const client = sdk(world)
      const app = await writers.registry.person(906)
      const { signerUuid } = await writers.writer(client, app, 907)
      const network = createNetwork({
        url: world.app.urls.web,
        credentials: { key: 'development' },
      })
      const files = [plainPng(51, 20, GREEN), plainPng(52, 20, GREEN)]
      const [bare, described] = [
        await uploadPicture(network, files[0]!, { signerUuid }),
        await uploadPicture(network, files[1]!, { signerUuid, altText: 'A fox' }),
      ]
      const rule = async (descriptions: string | null) => {
        const body = { texts: { descriptions }, actor: 'ann' }
        return (await world.operate('/server/texts', { method: 'PUT', body })).status
      }
      const publishAs = (idem: string, ...urls: string[]): Promise<Json> => {
        const cast = { signer_uuid: signerUuid, text: '', embeds: urls.map((url) => ({ url })) }
        return network.app.post('/v2/farcaster/cast', { ...cast, idem })
      }
      let casts = 0
      const publish = (...urls: string[]) => publishAs(`another ${++casts}`, ...urls)
      const describeFile = (words: { url: string; alt_text?: string; sensitive?: boolean }) =>
        network.app.patch('/v2/farcaster/media', { signer_uuid: signerUuid, ...words })
      const told = async () => {
        const answer = await fetch(`${world.app.urls.web}/v1/server`)
        return ((await answer.json()) as Json).descriptions
      }
      assert.equal(await rule('perhaps'), 400)
      assert.equal(await told(), '')
      const earlier = await publishAs('before the rule', bare.url)
      assert.equal(await rule('required'), 200)
      assert.equal(await told(), 'required')
      await publish('https://example.org/', described.url)
      await assert.rejects(publish(described.url, bare.url), (error: Json) => {
        assert.equal(error.status, 400)
        assert.match(
          error.message,
          /embeds\[1\]\.url has no description.*PATCH \/v2\/farcaster\/media/,
        )
        return true
      })
      await assert.rejects(publish(`${bare.url}?size=1#t=5`), { status: 400 })
      const again = await publishAs('before the rule', bare.url)
      assert.equal(again.cast.hash, earlier.cast.hash, 'a repeat makes no cast')
      // Addresses of others, which only contain that of a file.
      const { pathname, origin } = new URL(bare.url)
      await publish(`https://example.org${pathname}`)
      await publish(`https://example.org/?picture=${bare.url}`, `${origin}/notes${pathname}`)
      for (const alt_text of ['', ' ']) {
        await assert.rejects(describeFile({ url: described.url, alt_text }), (error: Json) => {
          assert.equal(error.status, 400)
          assert.match(error.message, /alt_text is empty/)
          return true
        })
      }
      const owner = (await world.accounts([908]))[0]!
      const { url } = (await uploadTo(world, owner, plainPng(53, 20, GREEN), 'A hen')).body.result
      const describeOwn = async (words: { altText?: string; sensitive?: boolean }) => {
        const token = world.token(owner)
        const body = { url, ...words }
        return world.platform('/v1/media', { method: 'PATCH', body, token })
      }
      const emptied = await describeOwn({ altText: ' ' })
      assert.deepEqual([emptied.status, emptied.body.field], [400, 'altText'])
      assert.equal((await describeOwn({ sensitive: true })).body.result.altText, 'A hen')
      await describeFile({ url: described.url, sensitive: false })
      await describeFile({ url: bare.url, alt_text: 'A hill' })
      await publish(bare.url)
      assert.equal(await rule(null), 200)
      await describeFile({ url: bare.url, alt_text: '' })
      await publish(described.url, bare.url)
      assert.equal((await describeOwn({ altText: '' })).status, 200)
    })

    it('rookery/client uploads bytes with their description, for a user and for an app', async () => {
      const account = await somebody()
      const url = world.app.urls.web
      const own = createNetwork({ url, credentials: { bearer: world.token(account) } })
      const uploaded = await uploadPicture(own, plainPng(30, 20, GREEN), {
        altText: 'A hen & a fox',
      })
      assert.deepEqual(
        [uploaded.width, uploaded.height, uploaded.altText],
        [30, 20, 'A hen & a fox'],
      )
      assert.match(uploaded.url, /^http/)
      const writers = writersOf(world)
      const app = await writers.registry.person(902)
      const { signerUuid } = await writers.writer(sdk(world), app, 903)
      const theirs = createNetwork({ url, credentials: { key: 'development' } })
      const file = new Blob([plainPng(31, 20, RED) as Uint8Array<ArrayBuffer>])
      const byApp = await uploadPicture(theirs, file, { altText: 'A fox', signerUuid })
      assert.deepEqual([byApp.width, byApp.altText], [31, 'A fox'])
    })

    it('rookery/client tells what a video is and what its uploader should know, and sets its picture, for a user and for an app', async () => {
      const url = world.app.urls.web
      const writers = writersOf(world)
      const app = await writers.registry.person(904)
      const { signerUuid } = await writers.writer(sdk(world), app, 905)
      const token = world.token(await somebody())
      const uploaders = [
        [createNetwork({ url, credentials: { bearer: token } }), {}],
        [createNetwork({ url, credentials: { key: 'development' } }), { signerUuid }],
      ] as const
      for (const [i, [network, uploader]] of uploaders.entries()) {
        const file = mp4Lasting(BigInt(3 + i))
        file.write('hvc1', file.indexOf('avc1'))
        const video = await uploadPicture(network, file, uploader)
        assert.equal(video.contentType, 'video/mp4')
        assert.equal(video.durationSeconds, 3 + i)
        assert.deepEqual([video.sensitive, video.smallUrl], [false, undefined])
        assert.match(video.warnings[0]!, /may not play everywhere/)
        const other = uploaders[1 - i]!
        for (const [by, bytes, status] of [
          [other, plainPng(64, 48, RED), 404],
          [[network, uploader], Buffer.from('no'), 400],
        ] as const) {
          await assert.rejects(uploadPoster(by[0], video.url, bytes, by[1]), { status })
        }
        const shown = await uploadPoster(network, video.url, plainPng(64, 48, GREEN), uploader)
        assert.deepEqual([shown.url, shown.durationSeconds], [video.url, video.durationSeconds])
        assert.equal((await fetch(shown.smallUrl!)).headers.get('content-type'), 'image/jpeg')
      }
    })

    it('what nothing uses is removed after a day, and what is used when its use has ended', async () => {
      const account = await somebody()
      const other = await somebody()
      const shades = Array.from({ length: 6 }, (_, i) => plainPng(10 + i, 10, [10 * i, 1, 1, 255]))
      const [unused, inCast, inProfile, inChannel, ofTwo, ofOthers] = (await Promise.all(
        shades.map(async (bytes) => (await stored(account, bytes)).url),
      )) as [string, string, string, string, string, string]
      assert.equal((await stored(other, shades[4]!)).url, ofTwo)
      const message = await cast(account, inCast, 'https://example.org/')
      await cast(other, ofTwo, ofOthers)
      const profile = userDataAdd(world.origin(account), UserDataType.USER_DATA_TYPE_PFP, inProfile)
      assert.equal((await world.submit(world.sign(account, profile))).status, 200)
      const channel = await world.platform('/fc/channels', {
        token: world.token(account),
        body: { channelId: 'pictures', name: 'Pictures', imageUrl: inChannel },
      })
      const hasChannel = channel.status === 200
      const statuses = () =>
        Promise.all([unused, inCast, inProfile, inChannel, ofTwo, ofOthers].map(statusOf))
      world.clock.advance(23 * HOUR_MS)
      await world.app.jobs.run('media clean-up')
      assert.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200])
      world.clock.advance(8 * HOUR_MS)
      await world.app.jobs.run('media clean-up')
      assert.deepEqual(await statuses(), [404, 200, 200, hasChannel ? 200 : 404, 200, 404])
      assert.ok(hasChannel, JSON.stringify(channel.body))
      const removal = castRemove(world.origin(account), message.hash)
      assert.equal((await world.submit(world.sign(account, removal))).status, 200)
      world.clock.advance(8 * HOUR_MS)
      await world.app.jobs.run('media clean-up')
      assert.deepEqual(await statuses(), [404, 404, 200, 200, 200, 404])
    })

    it('an account may keep so many bytes, and gets room again when some are removed', async () => {
      const { storage } = world.app
      const account = await somebody()
      const { url, bytes } = await stored(account, plainPng(300, 300, RED))
      assert.equal(await storage.of(mediaRows).bytesOf(account.fid), bytes)
      assert.deepEqual((await stored(account, plainPng(300, 300, RED))).url, url)
      assert.equal(
        await storage.of(mediaRows).bytesOf(account.fid),
        bytes,
        'the same file counts once',
      )
    })

    it('an export has every file of an account with its description', async () => {
      const secret = randomBytes(32)
      const owner = { ...testAccount(800), custody: addressOfPrivateKey(secret) }
      const seconds = Math.floor(world.clock.now() / 1000)
      await world.app.ledger!.importEvents(accountEvents(owner, seconds, 10))
      await stored(owner, plainPng(21, 20, RED), 'first')
      await stored(owner, plainPng(22, 20, RED), 'second')
      const files = await exportFiles(world, owner.fid, secret)
      assert.deepEqual(files.map(({ altText }) => altText).sort(), ['first', 'second'])
      assert.ok(files.every(({ missing }) => missing === undefined))
      for (const { url, data } of files) {
        assert.deepEqual(await bytesAt(url), Buffer.from(data, 'base64'))
      }
    })

    it('an erasure leaves no byte of a picture, and those of others stay', async () => {
      const account = await somebody()
      const other = await somebody()
      const own = await stored(account, plainPng(33, 33, [3, 77, 201, 255]))
      const shared = await stored(account, plainPng(34, 33, RED))
      assert.equal((await stored(other, plainPng(34, 33, RED))).url, shared.url)
      const video = await stored(account, mp4Of('0123456789abcdef'.repeat(4), 'b', 'c'))
      const bytes = [await bytesAt(own.url), await bytesAt(own.smallUrl), await bytesAt(video.url)]
      const needles = bytes.map((one) => one.subarray(-90, -10))
      needles[2] = Buffer.from('0123456789abcdef'.repeat(4))
      assert.ok((await found(needles)).length > 0, 'they are found before')
      const erased = await world.operate(`/moderation/accounts/${account.fid}/erase`, {
        body: { actor: 'test', reason: 'asked for' },
      })
      assert.equal(erased.status, 200, JSON.stringify(erased.body))
      assert.equal(await statusOf(own.url), 404)
      await until(
        async () =>
          (await world.app.storage.moderation.erasedTasks()).length === 0 &&
          !(await world.app.storage.moderation.nextTask()),
        'the erasure ends',
      )
      assert.equal(await statusOf(own.url), 404)
      assert.equal(await statusOf(video.url), 404)
      assert.equal(await statusOf(shared.url), 200)
      assert.deepEqual(await found(needles), [])
    })

    /** Where bytes are found: names of files or of tables. */
    async function found(needles: readonly Uint8Array[]): Promise<string[]> {
      if (engine === 'sqlite') {
        const directory = world.env.ROOKERY_DATA_DIR!
        return readdirSync(directory).flatMap((name) => {
          const content = readFileSync(join(directory, name))
          return needles.flatMap((needle, i) => (content.includes(needle) ? [`${name} ${i}`] : []))
        })
      }
      const client = new pg.Client(world.env.DATABASE_URL!)
      await client.connect()
      const { rows } = await client.query('select data from media_part').finally(() => client.end())
      return rows.flatMap(({ data }) =>
        needles.flatMap((needle, i) => (data.includes(needle) ? [`media_part ${i}`] : [])),
      )
    }

    it('the proxy of pictures reads files of this server without the network', async () => {
      const { url } = await stored(await somebody(), plainPng(1_500, 20, GREEN))
      const query = new URLSearchParams({ url, width: '96' })
      const response = await fetch(`${world.app.urls.web}/picture?${query}`)
      assert.equal(response.status, 200)
      const { width } = imageSize(Buffer.from(await response.arrayBuffer()))
      assert.equal(width, 96)
    })

    it('the metrics say how many files and bytes are kept', async () => {
      const text = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      assert.match(text, /rookery_media_uploads_total\{result="stored"\} [1-9]/)
      assert.match(text, /rookery_media_files [1-9]/)
      assert.match(text, /rookery_media_bytes [1-9]/)
    })
  })
}
