// The picture that stands for a video until it is played: the server decodes no videos, the browser that uploads one does.

const WIDTH = 640
const QUALITY = 0.8
/** The first picture of a film is often black. */
const AT_SECONDS = 1
/** A browser that shows nothing of a video by then will not. */
const TIMEOUT_MS = 10_000

/** A picture of a video, as a JPEG. Throws when this browser cannot show the video. */
export async function pictureOf(file: Blob): Promise<Blob> {
  const video = document.createElement('video')
  const url = URL.createObjectURL(file)
  try {
    Object.assign(video, { muted: true, playsInline: true, preload: 'auto', src: url })
    await happens(video, 'loadeddata')
    // A recording of a browser does not know its length, and cannot be gone forward in.
    if (Number.isFinite(video.duration)) {
      video.currentTime = Math.min(AT_SECONDS, video.duration / 2)
      await happens(video, 'seeked')
    }
    return await drawn(video)
  } finally {
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

const happens = (video: HTMLVideoElement, event: 'loadeddata' | 'seeked'): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no picture in time')), TIMEOUT_MS)
    const end = (then: () => void) => () => {
      clearTimeout(timer)
      then()
    }
    video.addEventListener(event, end(resolve), { once: true })
    const failed = end(() => reject(new Error('no picture')))
    video.addEventListener('error', failed, { once: true })
  })

async function drawn(video: HTMLVideoElement): Promise<Blob> {
  const scale = Math.min(1, WIDTH / video.videoWidth)
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(video.videoWidth * scale)
  canvas.height = Math.round(video.videoHeight * scale)
  canvas.getContext('2d')!.drawImage(video, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', QUALITY)
  })
  if (!blob) throw new Error('no picture')
  return blob
}
