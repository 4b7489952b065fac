import { parentPort } from 'node:worker_threads'
import { verifyPacked } from './signature-batch.ts'
import { CLOSE } from './thread.ts'

parentPort?.on('message', (request: Uint8Array | typeof CLOSE) => {
  parentPort?.postMessage(request === CLOSE ? CLOSE : verifyPacked(request))
})
