import { hashInWebAssembly } from '../fast-hash.ts'
import { answerInOrder, serveThread } from '../thread-server.ts'
import { answerPacked } from './ecdsa-batch.ts'

await hashInWebAssembly()

serveThread((_settings: undefined, post) => answerInOrder(post, answerPacked))
