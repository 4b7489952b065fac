import { parentPort } from 'node:worker_threads'
import { NotAPicture, OutOfRoom, type Rendered, type RenderRequest, render } from './render.ts'

/** What a picture costs, in bytes of an answer: told before it is decoded. */
export type ThreadCharge = { readonly costBytes: number }
/** The process has too little memory left for a picture: it would take so much in a thread that has decoded others. */
export type NoRoom = { readonly neededBytes: number }
export type ThreadAnswer =
  | { readonly rendered: Rendered; readonly tookBytes: number }
  /** What is wrong with the file. */
  | { readonly refused: string }
  | NoRoom
  /** The decoder stopped in the middle of its work: the thread must not be used again. */
  | { readonly broken: string }

parentPort?.postMessage('ready')
parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(answer(request)))

const charge = (costBytes: number) => parentPort?.postMessage({ costBytes } satisfies ThreadCharge)

function answer(request: RenderRequest): ThreadAnswer {
  try {
    return render(request, charge)
  } catch (error) {
    if (error instanceof OutOfRoom) return { neededBytes: error.neededBytes }
    if (error instanceof NotAPicture) return { refused: error.message }
    return { broken: String(error) }
  }
}
