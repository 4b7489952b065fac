import type { App } from '../../../app.ts'
import { MIRROR_STATUS } from '../../../features/mirror/port.ts'
import type { MirrorStatus } from '../../../features/mirror/status.ts'
import { programLog } from '../../json-log.ts'
import { note } from '../../output.ts'
import { progressBar } from '../../progress.ts'

const POLL_MS = 1_000
/** Without a terminal a line is written this often. */
const LINE_MS = 10_000
const MINUTE_SECONDS = 60

/**
 * Shows how far a mirror is with its people until everybody was read: a bar on a terminal, else a line now and then. Returns
 * a function that ends it.
 */
export function showReading({ find }: Pick<App, 'find'>): () => void {
  const mirrorStatus = find(MIRROR_STATUS)
  if (!mirrorStatus) return () => {}
  const view = process.stderr.isTTY ? readingBar() : readingLines()
  let timer: NodeJS.Timeout
  const show = async () => {
    // A store that is closing answers no more.
    const status = await mirrorStatus().catch(() => undefined)
    if (status && isOver(status)) view.over(status)
    else {
      if (status) view.show(status)
      timer = setTimeout(show, POLL_MS).unref()
    }
  }
  timer = setTimeout(show, POLL_MS).unref()
  return () => {
    clearTimeout(timer)
    view.end()
  }
}

const isOver = ({ isComplete, stopped }: MirrorStatus): boolean => isComplete || stopped !== null

type View = {
  show(status: MirrorStatus): void
  over(status: MirrorStatus): void
  end(): void
}

function readingBar(): View {
  const bar = progressBar('Reading people', 1, true)
  return {
    show(status) {
      const { done, all } = peopleOf(status)
      if (all > 0) bar.update(done, all, speedOf(status))
    },
    over(status) {
      bar.stop()
      note(lineOf(status))
    },
    end: () => bar.stop(),
  }
}

function readingLines(): View {
  let saidAt = Number.NEGATIVE_INFINITY
  const say = (status: MirrorStatus) => {
    const { done, all } = peopleOf(status)
    const { perSecond, etaSeconds, isComplete } = status
    const log = programLog()
    if (log) log.info({ read: done, people: all, perSecond, etaSeconds, isComplete }, 'mirror')
    else note(lineOf(status))
  }
  return {
    show(status) {
      if (performance.now() - saidAt < LINE_MS) return
      saidAt = performance.now()
      say(status)
    },
    over: say,
    end: () => {},
  }
}

function peopleOf({ people: { waiting, live, differ } }: MirrorStatus) {
  return { done: live + differ, all: waiting + live + differ }
}

/** How far it is, in a sentence. */
export function lineOf(status: MirrorStatus): string {
  const { stopped, isComplete, merged } = status
  const { done, all } = peopleOf(status)
  if (stopped !== null) return `Stopped: ${stopped}`
  if (isComplete) return `Read: ${done} of ${all} people, ${merged} messages.`
  return `Reading: ${done} of ${all} people, ${speedOf(status)}.`
}

function speedOf({ perSecond, etaSeconds }: MirrorStatus): string {
  const left = etaSeconds === null ? '' : `, ${timeText(etaSeconds)} left`
  return `${perSecond} messages a second${left}`
}

const timeText = (seconds: number): string =>
  seconds < MINUTE_SECONDS ? `${seconds} s` : `${Math.ceil(seconds / MINUTE_SECONDS)} min`
