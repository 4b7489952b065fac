// node:test finds the test to which code belongs by a hook that it calls for each promise and each callback of the
// process, tests or not, which costs a tenth of a run's processor time. This module must be loaded before
// node:test. It replaces the hook by an AsyncLocalStorage, which costs nothing until it is read (decision 0134).
// What Node's harness takes from node:async_hooks is all that changes; a Node that takes nothing of it is left alone.

import hooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks'

/** The async id of the test or suite that runs. */
const currentTest = new AsyncLocalStorage<number>()
const { createHook, executionAsyncId } = hooks
// biome-ignore lint/suspicious/noExplicitAny: as the method declares it
type Work = (...args: any[]) => unknown
const runInAsyncScope: (this: AsyncResource, work: Work, ...args: unknown[]) => unknown =
  AsyncResource.prototype.runInAsyncScope
let init: HookCallbacks['init']

/** The first hook is the harness's, and the harness takes nothing else from the module. */
hooks.createHook = (callbacks) => {
  init = callbacks.init
  hooks.createHook = createHook
  const hook = { enable: () => hook, disable: () => hook }
  return hook
}
hooks.executionAsyncId = () => currentTest.getStore() ?? executionAsyncId()
/** The harness runs every test and suite with this method. */
AsyncResource.prototype.runInAsyncScope = function run(this: AsyncResource, work, self, ...args) {
  if (!init || !('createSubtest' in this)) {
    return runInAsyncScope.call(this, work as Work, self, ...args) as ReturnType<typeof work>
  }
  const id = this.asyncId()
  init(id, 'Test', 0, this)
  const inTest = () => currentTest.run(id, () => work.apply(self as never, args))
  return runInAsyncScope.call(this, inTest) as ReturnType<typeof work>
}
