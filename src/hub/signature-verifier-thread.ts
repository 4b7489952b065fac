import { answerInOrder, serveThread } from '../thread-server.ts'
import { type Bodies, createExaminer, type ExaminationSettings } from './examination.ts'
import { hashInWebAssembly } from './fast-hash.ts'
import { verifyPacked } from './signature-batch.ts'

await hashInWebAssembly()

serveThread((settings: ExaminationSettings, post) => {
  const examine = createExaminer(settings)
  return answerInOrder(post, (request: Uint8Array | Bodies) =>
    request instanceof Uint8Array ? verifyPacked(request) : examine(request),
  )
})
