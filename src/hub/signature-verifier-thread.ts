import { parentPort } from 'node:worker_threads'
import { CLOSE } from '../thread.ts'
import { verifyPacked } from './signature-batch.ts'

parentPort?.on('message', (request: Uint8Array | typeof CLOSE) => {
  parentPort?.postMessage(request === CLOSE ? CLOSE : verifyPacked(request))
})
