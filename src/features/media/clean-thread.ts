import { parentPort, workerData } from 'node:worker_threads'
import type { CleanAnswer, CleanRequest } from './clean.ts'
import { cleanApng } from './formats/apng.ts'
import { cleanGif } from './formats/gif.ts'
import { cleanMp4 } from './formats/mp4.ts'
import { RefusedFile } from './formats/refused.ts'
import { cleanWebm } from './formats/webm.ts'
import { cleanWebp } from './formats/webp.ts'

// One moving picture or video is taken apart and written again here: a file of many small pieces takes tenths of a second.

const CLEANERS = {
  ...{ gif: cleanGif, png: cleanApng, webp: cleanWebp },
  ...{ mp4: cleanMp4, webm: cleanWebm },
}

function answerTo({ kind, bytes }: CleanRequest): CleanAnswer {
  try {
    return { cleaned: CLEANERS[kind](bytes) }
  } catch (error) {
    if (error instanceof RefusedFile) return { refused: error.message }
    // Reads beyond the end of a damaged file.
    if (error instanceof RangeError) return { refused: 'is cut off' }
    throw error
  }
}

parentPort?.postMessage(answerTo(workerData))
