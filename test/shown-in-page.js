// Runs in a page of a browser: how far what it shows of two files is apart.

const BLOCK_PIXELS = 16
/** In the middle of a picture of the film, which stays for a tenth of a second. */
const SOUGHT_SECONDS = 0.45 - 0.04

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))

/** Every frame of a picture of a type that moves; one of a still picture. */
async function framesOf(base64, type) {
  const bytes = bytesOf(base64)
  if (!type) return [await createImageBitmap(new Blob([bytes]))]
  const decoder = new ImageDecoder({ data: bytes, type })
  await decoder.tracks.ready
  await decoder.completed
  const indexes = Array.from({ length: decoder.tracks.selectedTrack.frameCount }, (_, i) => i)
  return Promise.all(
    indexes.map(async (frameIndex) => (await decoder.decode({ frameIndex })).image),
  )
}

/** Red, green and blue weighed by alpha, and alpha: what cannot be seen has no colour. */
function pixelsOf(frame, width, height) {
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.imageSmoothingQuality = 'high'
  context.drawImage(frame, 0, 0, width, height)
  const { data } = context.getImageData(0, 0, width, height)
  return Float64Array.from(data, (value, i) => (i % 4 === 3 ? value : (value * data[i | 3]) / 255))
}

/** The mean color of each square of pixels, as scaling the picture down gives it. */
function blocksOf(pixels, width, height) {
  const columns = Math.ceil(width / BLOCK_PIXELS)
  const blocks = columns * Math.ceil(height / BLOCK_PIXELS)
  const [sums, counts] = [new Float64Array(4 * blocks), new Float64Array(blocks)]
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [Math.floor(i / 4) % width, Math.floor(i / 4 / width)]
    const block = Math.floor(y / BLOCK_PIXELS) * columns + Math.floor(x / BLOCK_PIXELS)
    sums[4 * block + (i % 4)] += pixels[i]
    counts[block] += 1 / 4
  }
  return sums.map((sum, i) => sum / counts[Math.floor(i / 4)])
}

function apart(some, others) {
  let [most, sum] = [0, 0]
  for (let i = 0; i < some.length; i++) {
    const by = Math.abs(some[i] - others[i])
    most = Math.max(most, by)
    sum += by
  }
  return { most, mean: sum / some.length }
}

/** The greatest difference of a colour of a block, and the greatest mean of a frame's pixels. */
globalThis.comparePictures = async ({ sent, served, width, height, type }) => {
  const [before, after] = [await framesOf(sent, type), await framesOf(served, type)]
  const [most, mean] = [[0], [0]]
  for (const [i, frame] of before.entries()) {
    const pixels = [frame, after[i]].map((one) => pixelsOf(one, width, height))
    mean.push(apart(...pixels).mean)
    most.push(apart(...pixels.map((one) => blocksOf(one, width, height))).most)
  }
  return {
    size: `${after[0].width ?? after[0].displayWidth}x${after[0].height ?? after[0].displayHeight}`,
    frames: [before.length, after.length],
    ...{ most: Math.max(...most), mean: Math.max(...mean) },
  }
}

/** A frame of a video with its size, or why there is none. */
async function frameOf(base64) {
  const video = document.createElement('video')
  const happened = (name) => new Promise((resolve) => video.addEventListener(name, resolve))
  video.muted = true
  const [loaded, failed] = [happened('loadeddata'), happened('error')]
  video.src = URL.createObjectURL(new Blob([bytesOf(base64)]))
  await Promise.race([loaded, failed])
  if (video.error || video.videoWidth === 0) return undefined
  const sought = happened('seeked')
  video.currentTime = SOUGHT_SECONDS
  await sought
  return video
}

/** Of a frame of two videos, with their lengths; undefined when the browser plays neither. */
globalThis.compareVideos = async ({ sent, served }) => {
  const [before, after] = [await frameOf(sent), await frameOf(served)]
  if (!before && !after) return undefined
  const { videoWidth: width, videoHeight: height } = after
  const pixels = [before, after].map((video) => pixelsOf(video, width, height))
  return {
    size: `${width}x${height}`,
    // A recording that does not say how long it is has a length once it was read to its end.
    frames: [before.duration, after.duration].every(Number.isFinite)
      ? [before.duration, after.duration]
      : [],
    ...apart(...pixels),
  }
}
