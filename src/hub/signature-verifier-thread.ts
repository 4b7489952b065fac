import { hashInWebAssembly } from '../fast-hash.ts'
import { startThread } from '../thread.ts'
import { answerInOrder, serveThread } from '../thread-server.ts'
import { type Bodies, createExaminer, type ExaminationSettings } from './examination.ts'
import { verifyPacked } from './signature-batch.ts'

/** The helper makes an object for each batch only. */
const HELPER_YOUNG_MIB = 1

await hashInWebAssembly()

serveThread((settings: ExaminationSettings, post) => {
  const script = new URL('./signature-helper-thread.ts', import.meta.url)
  const helper = startThread<Uint8Array, Uint8Array>(script, undefined, HELPER_YOUNG_MIB)
  const examine = createExaminer(settings, helper.ask)
  return answerInOrder(
    post,
    (request: Uint8Array | Bodies) =>
      request instanceof Uint8Array ? verifyPacked(request) : examine(request),
    helper.close,
  )
})
