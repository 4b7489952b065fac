import { hashInWebAssembly } from '../../base/fast-hash.ts'
import { answerInOrder, serveThread } from '../../base/thread-server.ts'
import { type Bodies, type ExaminationSettings, type Examined, examine } from './examination.ts'

await hashInWebAssembly()

serveThread((settings: ExaminationSettings, post: (examined: Examined) => void) =>
  answerInOrder(post, (bodies: Bodies) => examine(bodies, settings)),
)
