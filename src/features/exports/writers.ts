import { Semaphore } from '../../kernel/base/concurrency.ts'
import { Thread, ThreadEndedError } from '../../kernel/base/thread.ts'
import { TargetAway } from './export.ts'
import type { ExportedFile } from './sink.ts'
import { type FileAnswer, type FileOrder, writeFile } from './write-file.ts'

const SCRIPT = new URL('./write-thread.ts', import.meta.url)
/** A file with fewer rows is written at once: a thread is not worth its start. */
export const ROWS_FOR_THREAD = 2_000

/** Writes files, large ones in a thread beside its caller. A second thread would take 80 MB more. */
export class FileWriters {
  readonly #thread: Thread<FileOrder, FileAnswer>
  /** The caller goes on while one is written, and waits before the next: so much is in memory at most. */
  readonly #place = new Semaphore({ running: 1 })

  constructor(script = SCRIPT) {
    this.#thread = new Thread(script, undefined)
  }

  /** Waits until the thread is free, and resolves to the promise of the file. */
  async begin(order: FileOrder): Promise<{ readonly file: Promise<ExportedFile> }> {
    if (rowsOf(order) < ROWS_FOR_THREAD) return { file: Promise.resolve(await writeFile(order)) }
    const release = await this.#place.acquire('')
    return { file: this.#writeInThread(order).finally(release) }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  async #writeInThread(order: FileOrder): Promise<ExportedFile> {
    try {
      const answer = await this.#thread.ask(order)
      if ('file' in answer) return answer.file
      const { message, ...own } = answer.failure
      throw Object.assign(new Error(message), own)
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error
      throw new TargetAway(
        `the thread that wrote ${order.name} ended (${error.message}), so this export is not complete and has to be made again`,
      )
    }
  }
}

const rowsOf = ({ messages, rows }: FileOrder): number => messages.ids.length + rows.length
