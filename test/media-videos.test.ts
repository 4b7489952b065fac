// Videos of the programs that people use: what is cleaned shows the same pictures and sounds, and says nothing else.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { cleanFile } from '../src/features/media/clean.ts'
import { findProgram } from './debian.ts'
import { mp4Of, webmOfBlocks } from './media-support.ts'

const run = promisify(execFile)
const refused = (what: string) => new Error(what)
const FRAGMENTS = ['-movflags', '+frag_keyframe+empty_moov']
const DASH = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof']
/** What is filmed, and how long each of its pictures is shown: a recording does not say how long it shows its last one. */
const FILM_MS = 1_000
const PICTURE_MS = 100
/** How ffmpeg makes each file of a film with sound and of texts. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  'plain.mp4': ['-c', 'copy', '-c:s', 'mov_text'],
  'front.mp4': ['-c', 'copy', '-c:s', 'mov_text', '-movflags', '+faststart'],
  'fragments.mp4': ['-c', 'copy', '-c:s', 'mov_text', ...FRAGMENTS],
  'dash.mp4': ['-c', 'copy', '-c:s', 'mov_text', ...DASH],
  'camera.mov': ['-c:v', 'copy', '-c:a', 'pcm_s16le', '-sn', '-timecode', '01:02:03:04'],
  'law.mov': ['-c:v', 'copy', '-c:a', 'pcm_mulaw', '-sn'],
  'ima.mov': ['-c:v', 'mjpeg', '-c:a', 'adpcm_ima_qt', '-sn'],
  'phone.3gp': ['-c', 'copy', '-sn'],
  'phone.3g2': ['-c', 'copy', '-sn'],
  'stream.ismv': ['-c', 'copy', '-sn'],
  'film.webm': ['-c:v', 'libvpx', '-c:a', 'libopus', '-c:s', 'webvtt'],
  'alpha.webm': [
    '-c:v',
    'libvpx',
    '-pix_fmt',
    'yuva420p',
    '-auto-alt-ref',
    '0',
    '-c:a',
    'libvorbis',
    '-sn',
  ],
  'live.webm': ['-c:v', 'libvpx', '-c:a', 'libopus', '-sn', '-live', '1'],
}

describe('videos that ffmpeg and exiftool have made', () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-videos-'))
  let ffmpeg: string
  const make = (...parameters: string[]) =>
    run(ffmpeg, ['-v', 'error', '-y', ...parameters], { cwd: dir })
  /** A hash of each picture and sound. */
  const framesOf = async (name: string) => {
    const { stdout } = await make('-i', name, '-map', '0:v', '-map', '0:a', '-f', 'framemd5', '-')
    return stdout
  }
  const clean = async (name: string) => {
    const kind = name.endsWith('.webm') ? 'webm' : 'mp4'
    const { bytes, width, durationMs } = await cleanFile(
      { kind, bytes: readFileSync(join(dir, name)) },
      refused,
    )
    assert.equal(width, 160, name)
    assert.ok(Math.abs(durationMs! - FILM_MS) <= PICTURE_MS, `${name} takes ${durationMs} ms`)
    writeFileSync(join(dir, `clean-${name}`), bytes)
    return Buffer.from(bytes)
  }

  before(async () => {
    ffmpeg = await findProgram(['ffmpeg'], 'ffmpeg')
    await findProgram(['exiftool'], 'libimage-exiftool-perl')
    writeFileSync(join(dir, 'texts.srt'), '1\n00:00:00,000 --> 00:00:01,000\nSmith at N52 E13\n')
    const film = [
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=160x120:rate=10:duration=1',
      '-f',
      'lavfi',
      '-i',
      'sine=duration=1',
    ]
    await make(...film, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', 'film.mp4')
    const words = [
      '-metadata',
      'title=Smiths garden',
      '-metadata:s',
      'handler_name=Smiths camera',
      '-metadata:s',
      'title=Smith',
    ]
    for (const [name, how] of Object.entries(MADE)) {
      await make(
        '-i',
        'film.mp4',
        '-i',
        'texts.srt',
        '-map',
        '0',
        '-map',
        '1',
        ...words,
        ...how,
        name,
      )
    }
    await run(
      'exiftool',
      [
        '-q',
        '-overwrite_original',
        '-GPSLatitude=52.5',
        '-Artist=Smith',
        '-XMP:Location=Smith',
        'plain.mp4',
      ],
      { cwd: dir },
    )
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  for (const name of Object.keys(MADE)) {
    it(`${name} shows the same pictures and sounds, and says nothing about people and places`, async () => {
      const bytes = await clean(name)
      assert.equal(await framesOf(`clean-${name}`), await framesOf(name))
      assert.doesNotMatch(bytes.toString('latin1'), /smith|N52|01:02:03/i)
      const { stdout } = await run(
        'exiftool',
        [
          '-G',
          '-ee',
          '-GPS*',
          '-*Date*',
          '-Artist',
          '-Title',
          '-*Location*',
          '-HandlerVendorID',
          '-CompressorName',
          `clean-${name}`,
        ],
        { cwd: dir },
      )
      assert.doesNotMatch(
        stdout.replaceAll(/^\[File\].*$/gm, '').replaceAll(/0000:00:00 00:00:00/g, ''),
        /: *[^\s:]/,
      )
    })
  }

  it('a film that a phone turns when it is shown has the size that is seen', async () => {
    const turned = ['-c', 'copy', '-map', '0:v', '-metadata:s:v:0', 'rotate=90']
    await make('-i', 'film.mp4', ...turned, 'upright.mp4')
    const bytes = readFileSync(join(dir, 'upright.mp4'))
    const { width, height } = await cleanFile({ kind: 'mp4', bytes }, refused)
    assert.deepEqual([width, height], [120, 160])
  })

  it('how a film is coded is known, so that its uploader is told when not every browser plays it', async () => {
    for (const [name, coding, how] of [
      ['hevc.mp4', 'hvc1', ['-c:v', 'libx265', '-tag:v', 'hvc1', '-x265-params', 'log-level=none']],
      ['mpeg4.mp4', 'mp4v', ['-c:v', 'mpeg4']],
      ['av1.mp4', 'av01', ['-c:v', 'libsvtav1']],
      ['copy.mp4', 'avc1', ['-c:v', 'copy']],
    ] as const) {
      await make('-i', 'film.mp4', '-map', '0:v', ...how, name)
      const bytes = readFileSync(join(dir, name))
      assert.equal((await cleanFile({ kind: 'mp4', bytes }, refused)).coding, coding)
    }
  })

  it('boxes that a phone adds behind a film are emptied, and zeros are cut off', async () => {
    const film = mp4Of('picture', 'place', 'name')
    const added = Buffer.from('\0\0\0\x10sefdSmith123', 'latin1')
    const phone = Buffer.concat([film, added, Buffer.alloc(64)])
    const { bytes } = await cleanFile({ kind: 'mp4', bytes: phone }, refused)
    assert.equal(bytes.length, film.length + added.length)
    assert.equal(Buffer.from(bytes).includes('Smith'), false)
  })

  it('a video of a hundred thousand blocks does not hold up others', async () => {
    let [turns, isDone] = [0, false]
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    const bytes = webmOfBlocks(99_000)
    const cleaned = cleanFile({ kind: 'webm', bytes }, refused).finally(() => {
      isDone = true
    })
    count()
    const { elements } = await cleaned
    assert.ok(elements! > 99_000)
    assert.ok(turns > 10, `${turns} turns of the event loop meanwhile`)
  })
})
