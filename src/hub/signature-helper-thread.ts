import { answerInOrder, serveThread } from '../thread-server.ts'
import { verifyPacked } from './signature-batch.ts'

// Verifies a share of the signatures of large batches. It loads nothing else, so it takes little memory.

serveThread((_settings, post: (results: Uint8Array) => void) => answerInOrder(post, verifyPacked))
