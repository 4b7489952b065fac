import type { FromFrame, ToFrame } from '../../../frame/port.ts'

// The client's end of the port to the page around an app.

export type Bridge = {
  send(message: ToFrame): void
  /** Answers what the app waits for, and takes its page away. */
  end(reason: string): void
}

/** Speaks with the page in a frame. To be called once, when that page has loaded; it opens the app at the address. */
export function connectFrame(
  frame: Window,
  url: string,
  onMessage: (message: FromFrame) => void,
): Bridge {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<FromFrame>) => onMessage(data)
  frame.postMessage({ kind: 'open', url }, location.origin, [port2])
  return {
    send: (message) => port1.postMessage(message),
    end(reason) {
      port1.postMessage({ kind: 'end', reason } satisfies ToFrame)
      port1.onmessage = null
      port1.close()
    },
  }
}
