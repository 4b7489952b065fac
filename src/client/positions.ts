import { checkObject, checkText, must } from './checks.ts'

/** Where a follower has come to, kept between its runs. A follower needs a store of its own. */
export type PositionStore = {
  /** The id that was saved last; undefined before the first. Called once, before anything is asked for. */
  load(): string | undefined | Promise<string | undefined>
  /**
   * Keeps the id of an event whose handler has ended, or one that the stream has passed without an event. Awaited before the
   * next event is yielded.
   */
  save(id: string): unknown
}

/** Forgotten when the program ends: for tests, and for followers that begin again within one run. */
export function memoryPositions(first?: string): PositionStore {
  let last = first
  return {
    load: () => last,
    save(id) {
      last = id
    },
  }
}

/** The one line of a file of positions. */
const LINE = /^([^\s]{1,200})\n$/

/** A file for one position, in Node, Bun and Deno. A crash leaves the earlier position or the new one. */
export function filePositions(path: string): PositionStore {
  checkText(path, 'the path of the positions')
  const fs = fileSystem()
  return {
    async load() {
      const text = await fs.readFile(path, 'utf8').catch((error: { code?: string }) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      if (text === undefined) return undefined
      const [, id] = LINE.exec(text) ?? []
      if (id !== undefined) return id
      throw new Error(`${path} has no position: delete it to begin with what comes from now on`)
    },
    async save(id) {
      await fs.writeFile(`${path}.new`, `${id}\n`, { flush: true })
      await fs.rename(`${path}.new`, path)
    },
  }
}

type FileSystem = {
  readFile(path: string, encoding: 'utf8'): Promise<string>
  writeFile(path: string, text: string, options: { flush: boolean }): Promise<void>
  rename(from: string, to: string): Promise<void>
}

/** Not imported, so that bundles for browsers need no stand-in for it. */
function fileSystem(): FileSystem {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): FileSystem }
  }
  const fs = process?.getBuiltinModule?.('node:fs/promises')
  if (fs) return fs
  throw new Error(
    'a file of positions needs Node 20.16 or later, Bun or Deno: give a store of your own',
  )
}

export function checkPositions(value: PositionStore): void {
  checkObject(value, 'positions', "filePositions('bot.position')")
  for (const name of ['load', 'save'] as const) {
    must(typeof value[name] === 'function', `positions.${name}`, 'a function', value[name])
  }
}
