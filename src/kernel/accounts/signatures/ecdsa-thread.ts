import { hashInWebAssembly } from '../../base/fast-hash.ts'
import { answerInOrder, serveThread } from '../../base/thread-server.ts'
import { answerPacked } from './ecdsa-batch.ts'

await hashInWebAssembly()

serveThread((_settings: undefined, post) => answerInOrder(post, answerPacked))
