// Pictures and videos of the programs that people use, marked wherever a program can write something about a file: what is
// taken, what Chromium shows of it, and that nothing of what was written is served. TEST_LONG=1 installs the programs.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { startBrowser, tellOfFailures } from './browser.ts'
import { LONG } from './effort.ts'
import { uploadTo } from './media-support.ts'
import { type CorpusFile, MARK, MARKED_SECONDS, makeCorpus } from './picture-corpus.ts'
import { ROOT } from './program.ts'
import { TestStorage } from './s3-support.ts'
import { createWorld, type World } from './world.ts'

const run = promisify(execFile)

type Served = {
  readonly name: string
  readonly file: CorpusFile
  readonly isSmall: boolean
  readonly bytes: Buffer
}

/**
 * How far a colour may be apart, of 255, in a picture that is made smaller sixteen times. That is the change of colours: what a
 * lossy format loses at an edge of one pixel is evened out by its surroundings.
 */
const MOST_APART = 3
/** Of all pixels, with what is lost. */
const MOST_APART_IN_THE_MEAN = 2
/** Files of which the decoder of Chromium has other numbers than the library. */
const OTHERS_APART: Readonly<Record<string, number>> = {
  // Two libraries go through the tables of a printer in other ways, most of all where it is dark.
  'still-cmyk.jpg': 22,
  // One step of a dark red in Display P3 is six in sRGB.
  'still-p3.avif': 6,
  'still-p3-by-number.avif': 6,
  // Chromium shows an alpha of 33 and 230 where the file, by avifdec, has 37 and 224.
  'still-logo.avif': 9,
  // Chromium shows the first frame of the film, which avifenc has given other colours than the picture.
  'still-first-frame.avif': 19,
}
/** Groups of exiftool that tell how a file is coded, and what is on this disk. */
const CODING = new Set(
  'SourceFile ExifTool System File Composite JFIF GIF RIFF PNG QuickTime Track1 Track2 Matroska'.split(
    ' ',
  ),
)
const MAX_JSON_BYTES = 64 * 1024 * 1024

describe('pictures and videos of the programs that people use', {
  skip: !LONG && 'TEST_LONG=1 installs the programs',
  concurrency: 1,
}, () => {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-corpus-'))
  const s3 = new TestStorage()
  let files: CorpusFile[]
  let served: Served[] = []
  let browser: Browser

  before(async () => {
    files = await makeCorpus(directory)
    await s3.start()
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await s3.remove()
    rmSync(directory, { recursive: true, force: true })
  })
  tellOfFailures(() => browser)

  it('each is taken with the size that is shown, or refused with the reason, and every store serves the same', async () => {
    const places = [
      { engine: 'sqlite' },
      { engine: 'postgres' },
      { engine: 'sqlite', env: { ROOKERY_MEDIA_S3_URL: s3.url() } },
    ] as const
    for (const place of places) {
      const world = await createWorld(place)
      try {
        const answers = await serveAll(world, files)
        if (served.length === 0) served = answers
        for (const [i, { name, bytes }] of answers.entries())
          assert.ok(bytes.equals(served[i]!.bytes), name)
      } finally {
        await world.close()
      }
    }
  })

  it('Chromium shows the same of what was sent and of what is served', async () => {
    const page = await (await browser.newContext()).newPage()
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    // Browsers decode frames for pages of this machine and of HTTPS only.
    await page.goto('http://localhost/')
    await page.addScriptTag({ path: join(ROOT, 'test/shown-in-page.js') })
    const faults: string[] = []
    for (const { name, file, bytes } of served.filter(({ isSmall }) => !isSmall)) {
      const [size, type] = file.expected.split(' ')
      const [width, height] = size!.split('x').map(Number)
      const [sent, kept] = [file.bytes, bytes].map((one) => one.toString('base64'))
      const request = { sent, served: kept, width, height, type: file.kind === 'moving' && type }
      const compare = file.kind === 'video' ? 'compareVideos' : 'comparePictures'
      const seen = (await page.evaluate(`${compare}(${JSON.stringify(request)})`)) as
        | Seen
        | undefined
      // Chromium of Debian plays no HEVC.
      if (!seen && name === 'video-hevc.mp4') continue
      const { most, mean, frames } = seen!
      const mayBeApart = OTHERS_APART[name] ?? MOST_APART
      const isNear = most <= mayBeApart && mean <= Math.max(MOST_APART_IN_THE_MEAN, mayBeApart / 2)
      if (!isNear || seen!.size !== size || frames[0] !== frames[1])
        faults.push(`${name}: ${JSON.stringify(seen)}`)
    }
    assert.deepEqual(faults, [])
  })

  it('no byte of what was written about a file is served', async () => {
    const isMarked = ({ bytes, name }: CorpusFile) =>
      bytes.includes(MARK) || name === 'still-first-frame.avif'
    const sent = files.filter(({ kind }) => kind !== 'refused')
    assert.deepEqual(
      sent.filter((file) => !isMarked(file)).map(({ name }) => name),
      [],
    )
    const found = served.flatMap(({ name, bytes }) =>
      tracesIn(bytes).map((what) => `${name}: ${what}`),
    )
    assert.deepEqual(found, [])
    const folder = join(directory, 'served')
    mkdirSync(folder)
    for (const { name, bytes } of served) writeFileSync(join(folder, name), bytes)
    const told = await run('exiftool', ['-a', '-u', '-U', '-ee', '-G1', '-j', folder], {
      maxBuffer: MAX_JSON_BYTES,
    })
    const tags = (JSON.parse(told.stdout) as Record<string, unknown>[]).flatMap((file) =>
      Object.keys(file).filter((tag) => !CODING.has(tag.split(':')[0]!)),
    )
    assert.deepEqual(tags, [])
  })
})

type Seen = {
  readonly size: string
  readonly frames: readonly unknown[]
  readonly most: number
  readonly mean: number
}

/** Uploads all, and reads what is served of each. */
async function serveAll(world: World, files: readonly CorpusFile[]): Promise<Served[]> {
  const served: Served[] = []
  const faults: string[] = []
  for (const [i, file] of files.entries()) {
    const { name, kind, expected } = file
    // One has the uploads of an hour for a few.
    const { status, body } = await uploadTo(world, await world.account(100 + i), file.bytes)
    const { url, smallUrl, contentType, width, height } = body.result ?? {}
    const answer = status === 200 ? `${width}x${height} ${contentType}` : JSON.stringify(body)
    const isExpected =
      kind === 'refused' ? status === 400 && answer.includes(expected) : answer === expected
    if (!isExpected) faults.push(`${name}: ${status} ${answer}`)
    for (const address of [url, smallUrl].filter(Boolean)) {
      const isSmall = address !== url
      const bytes = Buffer.from(await (await fetch(address)).arrayBuffer())
      served.push({ file, bytes, isSmall, name: `${isSmall ? 'small-' : ''}${name}` })
    }
  }
  assert.deepEqual(faults, [])
  return served
}

/** What is found of the marks in a file, and of what formats put before texts, places and profiles. */
function tracesIn(bytes: Buffer): string[] {
  const wide = Buffer.from(MARK, 'utf16le')
  const seconds = Buffer.alloc(4)
  seconds.writeUInt32BE(MARKED_SECONDS)
  const traces = {
    'the mark': Buffer.from(MARK),
    'the mark in UTF-16': wide,
    'the mark in UTF-16, big end first': Buffer.from(wide).swap16(),
    'the time': seconds,
    EXIF: Buffer.from('Exif\0'),
    XMP: Buffer.from('http://ns.adobe.com/'),
    IPTC: Buffer.from('8BIM'),
    'a profile': Buffer.from('acspMSFT'),
  }
  return Object.entries(traces)
    .filter(([, trace]) => bytes.includes(trace))
    .map(([what]) => what)
}
