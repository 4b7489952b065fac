// Imported by processes that end with `process.exit`, as `--test-force-exit` does too: Node drops what a pipe has not yet taken. With
// this each write waits until the pipe has taken it.

type Handle = { setBlocking?(blocking: boolean): unknown }

for (const stream of [process.stdout, process.stderr]) {
  // Files have no handle, and are written at once.
  const { _handle: handle } = stream as { readonly _handle?: Handle }
  handle?.setBlocking?.(true)
}
