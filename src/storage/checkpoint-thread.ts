import { answerInOrder, serveThread } from '../thread-server.ts'
import { type CheckpointSettings, openForCopying } from './checkpoints.ts'

serveThread((settings: CheckpointSettings, post: (answer: 'copied') => void) => {
  const { copy, close } = openForCopying(settings)
  return answerInOrder(
    post,
    () => {
      copy()
      return 'copied' as const
    },
    close,
  )
})
