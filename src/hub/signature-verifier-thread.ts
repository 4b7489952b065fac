import { answerInOrder, serveThread } from '../thread-server.ts'
import { verifyPacked } from './signature-batch.ts'

serveThread((_settings: undefined, post) => answerInOrder(post, verifyPacked))
