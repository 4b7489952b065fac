import { availableParallelism } from 'node:os'
import { Semaphore } from '../../kernel/base/concurrency.ts'
import { Thread, ThreadEndedError } from '../../kernel/base/thread.ts'
import { ExportRefused } from './export.ts'
import type { ExportedFile } from './sink.ts'
import { type FileAnswer, type FileOrder, writeFile } from './write-file.ts'

const SCRIPT = new URL('./write-thread.ts', import.meta.url)
/** Each has the rows of one file in memory. */
const MAX_THREADS = 2
/** A file with fewer rows is written at once: a thread is not worth its start. */
export const ROWS_FOR_THREAD = 2_000

/** Writes files, large ones in threads beside its caller. */
export class FileWriters {
  readonly #script: URL
  readonly #count = Math.min(MAX_THREADS, availableParallelism())
  readonly #places = new Semaphore({ running: this.#count })
  readonly #threads: Thread<FileOrder, FileAnswer>[] = []
  readonly #idle: Thread<FileOrder, FileAnswer>[] = []

  constructor(script = SCRIPT) {
    this.#script = script
  }

  /** Waits until a thread is free for it, and resolves to the promise of the file. */
  async begin(order: FileOrder): Promise<{ readonly file: Promise<ExportedFile> }> {
    if (rowsOf(order) < ROWS_FOR_THREAD) return { file: Promise.resolve(await writeFile(order)) }
    const release = await this.#places.acquire('')
    return { file: this.#writeInThread(order).finally(release) }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  async #writeInThread(order: FileOrder): Promise<ExportedFile> {
    const thread = this.#idle.pop() ?? this.#start()
    try {
      const answer = await thread.ask(order)
      if ('file' in answer) return answer.file
      const { message, code } = answer.failure
      throw Object.assign(new Error(message), { code })
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error
      throw new ExportRefused(
        `the thread that wrote ${order.name} ended (${error.message}), so the export is not complete: start it again`,
      )
    } finally {
      this.#idle.push(thread)
    }
  }

  #start(): Thread<FileOrder, FileAnswer> {
    const thread = new Thread<FileOrder, FileAnswer>(this.#script, undefined)
    this.#threads.push(thread)
    return thread
  }
}

const rowsOf = ({ messages, rows }: FileOrder): number => messages.ids.length + rows.length
