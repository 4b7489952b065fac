import { parentPort } from 'node:worker_threads'
import { verifyPacked } from './signature-batch.ts'

parentPort?.on('message', (packed: Uint8Array) => parentPort?.postMessage(verifyPacked(packed)))
