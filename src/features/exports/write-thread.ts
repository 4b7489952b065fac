import { answerInOrder, serveThread } from '../../kernel/base/thread-server.ts'
import { type FileAnswer, type FileOrder, writeFile } from './write-file.ts'

// Makes rows of messages and writes them into a file, beside the thread that reads the store.

serveThread((_settings: undefined, post: (answer: FileAnswer) => void) =>
  answerInOrder(post, answerTo),
)

async function answerTo(order: FileOrder): Promise<FileAnswer> {
  try {
    return { file: await writeFile(order) }
  } catch (error) {
    const { message, code, path } = error as NodeJS.ErrnoException
    return { failure: { message, code, path } }
  }
}
