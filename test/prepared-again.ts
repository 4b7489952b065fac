// The statements of the embedded store that SQLite prepares again when they run, because their plan depends on a value.

import { DatabaseSync, StatementSync } from 'node:sqlite'
import { mock } from 'node:test'

type AllValues = Parameters<StatementSync['all']>

type Watch = {
  /** The statements that were prepared again since the last call. */
  take(): Set<string>
  /** How many statements ran. */
  readonly runs: number
  stop(): void
}

/** Watches the connections of this thread that prepare their first statement from now on. */
export function watchPreparedAgain(): Watch {
  const { prepare } = DatabaseSync.prototype
  const { all } = StatementSync.prototype
  const texts = new WeakMap<StatementSync, string>()
  const watched = new WeakSet<DatabaseSync>()
  let running: string | undefined
  let runs = 0
  let found = new Set<string>()
  // SQLite asks the authorizer whenever it prepares a statement.
  const authorize = () => {
    if (running) found.add(running)
    return 0
  }
  const mocks = [
    mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
      if (!watched.has(this)) this.setAuthorizer(authorize)
      watched.add(this)
      const statement = prepare.call(this, text)
      texts.set(statement, text)
      return statement
    }),
    mock.method(
      StatementSync.prototype,
      'all',
      function (this: StatementSync, ...values: AllValues) {
        running = texts.get(this)
        runs++
        try {
          return all.apply(this, values)
        } finally {
          running = undefined
        }
      },
    ),
  ]
  return {
    take() {
      const taken = found
      found = new Set()
      return taken
    },
    get runs() {
      return runs
    },
    stop() {
      for (const one of mocks) one.mock.restore()
    },
  }
}
