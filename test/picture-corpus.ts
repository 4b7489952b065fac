// Pictures and videos as programs of Debian make them, with marks in everything that exiftool and ffmpeg can write about a file.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from './debian.ts'
import { encode, paint } from './pictures-support.ts'

const run = promisify(execFile)

/** What stands in each text that is written about a file. */
export const MARK = 'Zq7Mark'
/** In each time; a video has it as seconds since 1904. */
const MARKED_TIME = '2019:03:04 05:06:07'
export const MARKED_SECONDS = (Date.UTC(2019, 2, 4, 5, 6, 7) - Date.UTC(1904, 0, 1)) / 1_000

/** The names that commands below use, what else a program may be called, and its package. */
const PROGRAMS: Readonly<Record<string, readonly [names: readonly string[], debian: string]>> = {
  convert: [['convert-im6.q16', 'magick'], 'imagemagick'],
  exiftool: [['exiftool'], 'libimage-exiftool-perl'],
  ffmpeg: [['ffmpeg'], 'ffmpeg'],
  'heif-enc': [['heif-enc'], 'libheif-examples'],
  avifenc: [['avifenc'], 'libavif-bin'],
  gifsicle: [['gifsicle'], 'gifsicle'],
  cwebp: [['cwebp'], 'webp'],
  gif2webp: [['gif2webp'], 'webp'],
}

// Patches and slopes: the colour of a place is that of its surroundings, whatever a format loses.
const MATERIAL = `
for p in p3 cmyk srgb; do exiftool -b -ICC_Profile dot-$p.jpg >$p.icc; done
convert -seed 7 -size 160x160 \\( xc:#e62828 xc:#28c83c xc:#283cdc +append \\) \\( xc:#c89678 gradient:white-black \\( plasma:fractal -blur 0x6 \\) +append \\) -append -blur 0x5 -depth 8 scene.png
convert scene.png -depth 16 -define png:bit-depth=16 deep.png
convert scene.png -resize 160 small.jpg
convert scene.png -profile srgb.icc -profile p3.icc p3.png
convert -size 400x400 xc:none -fill white -draw 'circle 200,200 200,40' -fill '#e62828' -draw 'circle 200,200 200,120' -channel RGBA -blur 0x5 -depth 8 logo.png
convert -size 96x64 xc:#e62828 -fill white -draw 'rectangle 0,10 30,50' -depth 8 PNG24:frame-0.png
convert -size 96x64 xc:#28c83c -fill white -draw 'rectangle 20,10 50,50' -depth 8 PNG24:frame-1.png
convert -size 96x64 xc:#283cdc -fill white -draw 'rectangle 40,10 70,50' -depth 8 PNG24:frame-2.png
convert -delay 20 -loop 0 frame-[012].png moving.gif
ffmpeg -v error -f lavfi -i testsrc=size=320x180:rate=10:duration=1 -f lavfi -i sine=duration=1 -c:v libx264 -g 5 -pix_fmt yuv420p -c:a aac film.mp4
`

// A file of each line: its name, width, height and type as they are served or why it is refused, and the command that makes it.
const STILL = `
baseline.jpg | 480x320 image/jpeg | convert scene.png -quality 92 $F
progressive.jpg | 480x320 image/jpeg | convert scene.png -quality 92 -interlace JPEG $F
full-colour.jpg | 480x320 image/jpeg | convert scene.png -quality 95 -sampling-factor 4:4:4 $F
half-colour.jpg | 480x320 image/jpeg | convert scene.png -quality 92 -sampling-factor 4:2:2 $F
grey.jpg | 480x320 image/jpeg | convert scene.png -colorspace Gray -quality 92 $F
thumbnail.jpg | 480x320 image/jpeg | convert scene.png -quality 92 $F && exiftool -q -overwrite_original '-ThumbnailImage<=small.jpg' $F
two-pictures.jpg | 480x320 image/jpeg | convert scene.png -quality 92 $F && cat small.jpg >>$F
cmyk.jpg | 480x320 image/jpeg | convert scene.png -profile srgb.icc -profile cmyk.icc -quality 95 $F
cmyk-bare.jpg | 480x320 image/jpeg | convert scene.png -colorspace CMYK -quality 95 $F
p3.jpg | 480x320 image/jpeg | convert p3.png -quality 95 $F
p3-wide.jpg | 480x320 image/jpeg | convert scene.png -profile p3.icc -quality 95 $F
orientation-1.jpg | 480x320 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=1 $F
orientation-2.jpg | 480x320 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=2 $F
orientation-3.jpg | 480x320 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=3 $F
orientation-4.jpg | 480x320 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=4 $F
orientation-5.jpg | 320x480 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=5 $F
orientation-6.jpg | 320x480 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=6 $F
orientation-7.jpg | 320x480 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=7 $F
orientation-8.jpg | 320x480 image/jpeg | convert scene.png $F && exiftool -q -overwrite_original -n -Orientation=8 $F
50-megapixels.jpg | 1600x1200 image/jpeg | convert scene.png -resize 8160x6120! -quality 80 $F
panorama.jpg | 1600x213 image/jpeg | convert scene.png -resize 9000x1200! -quality 80 $F
plain.png | 480x320 image/jpeg | convert scene.png $F
deep.png | 480x320 image/jpeg | cp deep.png $F
palette.png | 480x320 image/jpeg | convert scene.png +dither -colors 200 PNG8:$F
interlaced.png | 480x320 image/jpeg | convert scene.png -interlace PNG $F
grey.png | 480x320 image/jpeg | convert scene.png -colorspace Gray $F
one-bit.png | 480x320 image/jpeg | convert scene.png -threshold 50% -depth 1 $F
gamma.png | 480x320 image/jpeg | convert scene.png -set gamma 1.0 -define png:include-chunk=none,gAMA $F
p3.png | 480x320 image/jpeg | cp p3.png $F
turned.png | 320x480 image/jpeg | cp scene.png $F && exiftool -q -overwrite_original -n -Orientation=6 $F
long-screenshot.png | 416x3200 image/jpeg | convert scene.png -resize 1170x9000! $F
logo.png | 400x400 image/webp | cp logo.png $F
deep-logo.png | 400x400 image/webp | convert logo.png -define png:bit-depth=16 $F
large-logo.png | 1600x1600 image/webp | convert logo.png -resize 3000x3000 $F
grey-logo.png | 400x400 image/webp | convert logo.png -colorspace Gray -define png:color-type=4 $F
lossy.webp | 480x320 image/jpeg | cwebp -quiet -q 92 scene.png -o $F
lossless.webp | 480x320 image/jpeg | cwebp -quiet -lossless scene.png -o $F
logo.webp | 400x400 image/webp | cwebp -quiet -q 90 logo.png -o $F
p3.webp | 480x320 image/jpeg | cwebp -quiet -q 95 -metadata icc p3.png -o $F
not-turned.webp | 480x320 image/jpeg | cwebp -quiet -q 92 scene.png -o $F && exiftool -q -overwrite_original -n -Orientation=6 $F
still.avif | 480x320 image/jpeg | avifenc -s 9 scene.png $F
full-colour.avif | 480x320 image/jpeg | avifenc -s 9 --min 5 --max 15 -y 444 scene.png $F
limited-range.avif | 480x320 image/jpeg | avifenc -s 9 --range limited scene.png $F
ten-bit.avif | 480x320 image/jpeg | avifenc -s 9 -d 10 deep.png $F
logo.avif | 400x400 image/webp | avifenc -s 9 logo.png $F
grey.avif | 480x320 image/jpeg | avifenc -s 9 -y 400 scene.png $F
turned.avif | 320x480 image/jpeg | avifenc -s 9 --irot 1 scene.png $F
mirrored.avif | 480x320 image/jpeg | avifenc -s 9 --imir 1 scene.png $F
p3.avif | 480x320 image/jpeg | avifenc -s 9 --min 5 --max 15 p3.png $F
p3-by-number.avif | 480x320 image/jpeg | avifenc -s 9 --min 5 --max 15 --ignore-icc --cicp 12/13/6 p3.png $F
by-libheif.avif | 480x320 image/jpeg | heif-enc -A scene.png -o $F
first-frame.avif | 96x64 image/jpeg | avifenc -s 9 frame-0.png frame-1.png frame-2.png $F
still.gif | 480x320 image/jpeg | convert scene.png $F
interlaced.gif | 480x320 image/jpeg | convert scene.png -interlace GIF $F
logo.gif | 400x400 image/webp | convert logo.png $F
palette-logo.png | 400x400 image/webp | convert still-logo.gif PNG8:$F
`

const MOVING = `
moving.gif | 96x64 image/gif | cp moving.gif $F
optimized.gif | 96x64 image/gif | gifsicle -O3 moving.gif -o $F
interlaced.gif | 96x64 image/gif | gifsicle --interlace moving.gif -o $F
film.gif | 320x180 image/gif | ffmpeg -v error -i film.mp4 $F
moving.png | 96x64 image/png | ffmpeg -v error -framerate 5 -i frame-%d.png -plays 0 -f apng $F
film.png | 320x180 image/png | ffmpeg -v error -i film.mp4 -plays 0 -f apng $F
lossless.webp | 96x64 image/webp | gif2webp -quiet moving.gif -o $F
lossy.webp | 96x64 image/webp | gif2webp -quiet -lossy moving.gif -o $F
film.webp | 320x180 image/webp | ffmpeg -v error -i film.mp4 -c:v libwebp_anim -loop 0 $F
`

const VIDEO = `
plain.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy $F
front.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -movflags +faststart $F
fragments.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -movflags +frag_keyframe+empty_moov $F
dash.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -movflags +frag_keyframe+empty_moov+default_base_moof $F
low-latency.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -movflags +frag_keyframe+empty_moov -write_prft wallclock $F
edited.mp4 | 320x180 video/mp4 | ffmpeg -ss 0.35 $IN -c copy $F
phone.3gp | 320x180 video/mp4 | ffmpeg $IN -c copy $F
phone.3g2 | 320x180 video/mp4 | ffmpeg $IN -c copy $F
camera.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -brand XAVC $F
stream.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -brand cmfc $F
quicktime.mov | 320x180 video/mp4 | ffmpeg $IN -c copy $F
upright.mp4 | 180x320 video/mp4 | ffmpeg $IN -c copy -metadata:s:v:0 rotate=90 $F
upside-down.mp4 | 320x180 video/mp4 | ffmpeg $IN -c copy -metadata:s:v:0 rotate=180 $F
hevc.mp4 | 320x180 video/mp4 | ffmpeg $IN -c:v libx265 -tag:v hvc1 -x265-params log-level=none -c:a copy $F
av1.mp4 | 320x180 video/mp4 | ffmpeg $IN -c:v libaom-av1 -cpu-used 8 -c:a copy $F
vp9.mp4 | 320x180 video/mp4 | ffmpeg $IN -c:v libvpx-vp9 -c:a copy $F
vp8.webm | 320x180 video/webm | ffmpeg $IN -c:v libvpx -c:a libvorbis $F
vp9.webm | 320x180 video/webm | ffmpeg $IN -c:v libvpx-vp9 -c:a libopus $F
alpha.webm | 320x180 video/webm | ffmpeg $IN -c:v libvpx -pix_fmt yuva420p -auto-alt-ref 0 -c:a libvorbis $F
live.webm | 320x180 video/webm | ffmpeg $IN -c:v libvpx -c:a libopus -live 1 $F
`

const REFUSED = `
still.heic | is a HEIC picture, which this server cannot read: send it as a JPEG | heif-enc scene.png -o $F
logo.heic | is a HEIC picture, which this server cannot read: send it as a JPEG | heif-enc logo.png -o $F
still.tiff | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | convert scene.png $F
still.bmp | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | convert scene.png $F
still.ico | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | convert scene.png -resize 64x64 $F
still.jp2 | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | ffmpeg -v error -i scene.png $F
still.psd | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | convert scene.png $F
film.avi | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | ffmpeg $IN -c:v copy -an $F
film.flv | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | ffmpeg $IN -c copy $F
film.mkv | is no WebM video | ffmpeg $IN -c copy $F
sound.m4a | has no moving picture | ffmpeg $IN -vn -c:a copy $F
sound.mp3 | is not a picture in JPEG, PNG, GIF, WebP or AVIF, nor a video in MP4 or WebM | ffmpeg $IN -vn $F
`

const KINDS = { still: STILL, moving: MOVING, video: VIDEO, refused: REFUSED }
export type Kind = keyof typeof KINDS
export type CorpusFile = {
  /** With its kind before it. */
  readonly name: string
  readonly kind: Kind
  readonly expected: string
  readonly bytes: Buffer
}

const texts = (option: string, ...keys: string[]) =>
  keys.map((key) => `${option} ${key}=${MARK}`).join(' ')
/** Reads the film for ffmpeg, and writes words about it and its tracks. */
const FILM = [
  '-v error -y -i film.mp4 -map 0 -metadata creation_time=2019-03-04T05:06:07Z',
  texts('-metadata', 'title', 'artist', 'comment', 'make', 'model', 'location'),
  texts('-metadata:s', 'handler_name', 'title', 'vendor_id'),
].join(' ')

/** Makes every file in a directory. */
export async function makeCorpus(directory: string): Promise<CorpusFile[]> {
  const programs = join(directory, 'programs')
  mkdirSync(programs)
  for (const [name, [names, debianPackage]] of Object.entries(PROGRAMS))
    symlinkSync(await findProgram(names, debianPackage), join(programs, name))
  const shell = (command: string, file = '') =>
    run('bash', ['-c', command], {
      cwd: directory,
      env: { ...process.env, PATH: `${programs}:${process.env.PATH}`, IN: FILM, F: file },
    })
  writeProfiled(directory)
  for (const command of MATERIAL.trim().split('\n')) await shell(command)
  const made = []
  for (const [kind, lines] of Object.entries(KINDS) as [Kind, string][]) {
    for (const line of lines.trim().split('\n')) {
      const [file, expected, command] = line.split(' | ')
      const name = `${kind}-${file}`
      await shell(command!, name)
      made.push({ kind, name, expected: expected! })
    }
  }
  writeFileSync(join(directory, 'marks'), (await marks(shell)).join('\n'))
  const taken = made.filter(({ kind }) => kind !== 'refused').map(({ name }) => name)
  // Some tags fit no format, and some formats cannot be written: the rest is.
  await shell(`exiftool -m -q -q -overwrite_original -@ marks ${taken.join(' ')}`).catch(() => {})
  const files = made.map((file) => ({ ...file, bytes: readFileSync(join(directory, file.name)) }))
  return [...files, ...damagedOf(files)]
}

const XMP_GROUPS = 'dc xmp xmpMM exif tiff aux photoshop iptcCore iptcExt Device GPano'.split(' ')
/** Of XMP, which is one text in a file, those that cameras and editors write. */
const MARKED_GROUPS = [
  ...['EXIF', 'GPS', 'IPTC', 'Photoshop', 'PNG', 'QuickTime'],
  ...XMP_GROUPS.map((group) => `XMP-${group}`),
]

/** Arguments of exiftool that write the mark into all texts of a picture or video for which it has a name. */
async function marks(shell: (command: string) => Promise<{ stdout: string }>): Promise<string[]> {
  const written = []
  for (const group of MARKED_GROUPS) {
    const { stdout } = await shell(`exiftool -listw -${group}:all`)
    const [, ...lines] = stdout.split('\n')
    const tags = lines.flatMap((line) => line.trim().split(/\s+/)).filter((tag) => tag !== '')
    written.push(...tags.map((tag) => `-${group}:${tag}=${MARK}`))
  }
  return [
    ...written,
    `-Comment=${MARK}`,
    `-AllDates=${MARKED_TIME}`,
    ...['GPSLatitude=12.3456789', 'GPSLatitudeRef=N', 'GPSLongitude=98.7654321'].map(
      (value) => `-GPS:${value}`,
    ),
    '-QuickTime:GPSCoordinates=12.3456789 98.7654321 10',
  ]
}

/** Pictures with the profiles of a library; the mark is in the description of one. */
function writeProfiled(directory: string): void {
  const dot = paint(8, 8, () => [128, 128, 128, 255])
  for (const profile of ['p3', 'cmyk', 'srgb'] as const) {
    const jpeg = encode(dot, '.jpg', { profile }).toString('latin1')
    const marked = jpeg.replace('Created', MARK)
    writeFileSync(join(directory, `dot-${profile}.jpg`), marked, 'latin1')
  }
}

/** What browsers show although a standard has it otherwise: made from other files. */
function damagedOf(files: readonly CorpusFile[]): CorpusFile[] {
  const file = (name: string) => files.find((one) => one.name === name)!
  const jpeg = file('still-baseline.jpg')
  const second = 4 + jpeg.bytes.readUInt16BE(4)
  const filled = [jpeg.bytes.subarray(0, second), Buffer.from([0xff]), jpeg.bytes.subarray(second)]
  const gif = file('moving-moving.gif')
  const mp4 = file('video-plain.mp4')
  return [
    { ...jpeg, name: 'still-fill-byte.jpg', bytes: Buffer.concat(filled) },
    { ...jpeg, name: 'still-tail.jpg', bytes: Buffer.concat([jpeg.bytes, Buffer.from(MARK)]) },
    { ...gif, name: 'moving-no-trailer.gif', bytes: gif.bytes.subarray(0, -1) },
    { ...mp4, name: 'video-zero-tail.mp4', bytes: Buffer.concat([mp4.bytes, Buffer.alloc(64)]) },
  ]
}
