import { parentPort } from 'node:worker_threads'
import { NoRoom, NotAPicture, type Rendered, type RenderRequest, render } from './render.ts'

/** What a picture costs, in bytes of an answer: told before it is decoded. */
export type ThreadCharge = { readonly costBytes: number }
export type ThreadAnswer =
  | { readonly rendered: Rendered }
  /** What is wrong with the file. */
  | { readonly refused: string }
  /** The process has too little memory left for it. */
  | 'full'
  /** The decoder stopped in the middle of its work: the thread must not be used again. */
  | { readonly broken: string }

parentPort?.postMessage('ready')
parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(answer(request)))

const charge = (costBytes: number) => parentPort?.postMessage({ costBytes } satisfies ThreadCharge)

function answer(request: RenderRequest): ThreadAnswer {
  try {
    return { rendered: render(request, charge) }
  } catch (error) {
    if (error instanceof NoRoom) return 'full'
    if (error instanceof NotAPicture) return { refused: error.message }
    return { broken: String(error) }
  }
}
