import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { oneByOne } from '../../shared/in-turn.ts'
import { t } from '../../shared/messages.ts'
import { NotDoneList, progressText } from '../../shared/one-by-one.tsx'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask } from '../api.ts'

/** One of several. */
type DecideOn = { readonly path: string; readonly name: string }

/** What is told of a decision, and what takes back what it has changed. */
export type Outcome = { readonly told: string; readonly undo: Decision | undefined }

/** What the operator is about to do. */
export type Decision = {
  /** `Suspend account 12` */
  readonly title: string
  readonly consequence: string
  readonly path: string
  /** Where the same is decided about several, one after the other: instead of the path. */
  readonly each?: readonly DecideOn[]
  /** Called at the end, with those of `each` that were not done when the dialog was closed before; else with none. */
  readonly done?: (left: readonly DecideOn[]) => void
  /** What is told when it is done. */
  readonly told?: string
  /** Whether it is so already, which is asked before: that is left as it is, such as a suspension for some days. */
  readonly stood?: (on: DecideOn) => Promise<boolean>
  /** What is told of those. */
  readonly stoodText?: (count: number) => string
  /** What takes it back for those that it has changed. */
  readonly undo?: (changed: readonly DecideOn[]) => Decision
  /** POST unless given. */
  readonly method?: 'POST' | 'DELETE'
  /** Sent beside the reason. */
  readonly body?: object
  /** Typed once more by who decides, for what cannot be undone. */
  readonly typed?: string
  /** In place of the title. */
  readonly button?: string
}

const MAX_REASON_CHARACTERS = 2_000

type DecideProps = {
  decision: Decision
  onClose: () => void
  /** Called when it is done, for some at least; with nothing where there is nothing to tell. */
  onDone?: (outcome: Outcome | undefined) => void
}

/** Asks for a reason and for confirmation, and then does it. */
export function Decide({ decision, onClose, onDone }: DecideProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const isTyped = decision.typed === undefined || typed.trim() === decision.typed
  const queries = useQueryClient()
  const each = decision.each ?? [{ path: decision.path, name: '' }]
  const [doneCount, setDoneCount] = useState(0)
  /** Closing the dialog stops what it does one by one. */
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const act = useMutation({
    mutationFn: async () => {
      const changed: DecideOn[] = []
      let stood = 0
      const decideOn = async (one: DecideOn) => {
        if (await decision.stood?.(one)) {
          stood += 1
          return
        }
        await ask(one.path, {
          method: decision.method ?? 'POST',
          body: { ...decision.body, reason: reason.trim() },
        })
        changed.push(one)
      }
      if (decision.each) {
        stop.current = new AbortController()
        const rest = await oneByOne(each, decideOn, setDoneCount, stop.current.signal)
        return { ...rest, changed, stood }
      }
      await decideOn(each[0]!)
      return { failed: [], left: [], changed, stood }
    },
    onSuccess: async ({ failed, left, changed, stood }) => {
      await queries.invalidateQueries()
      decision.done?.(left)
      const undo = changed.length > 0 ? decision.undo?.(changed) : undefined
      const told = [changed.length > 0 && decision.told, stood > 0 && decision.stoodText?.(stood)]
      if (changed.length + stood > 0) {
        onDone?.(decision.told ? { told: told.filter(Boolean).join(' '), undo } : undefined)
      }
      if (failed.length + left.length === 0) onClose()
    },
    // The list behind shows what it is now, as after somebody else's decision.
    onError: () => queries.invalidateQueries(),
  })
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate()
  }
  return (
    <dialog ref={dialog} className="decide" aria-labelledby="decide-title" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="decide-title">{decision.title}</h2>
        <p className="muted">{decision.consequence}</p>
        <label className="field">
          <span>{t('Reason')}</span>
          <textarea
            required
            rows={3}
            maxLength={MAX_REASON_CHARACTERS}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        {decision.typed !== undefined && (
          <label className="field">
            <span>{rich('Type {typed} to go on', { typed: <bdi>{decision.typed}</bdi> })}</span>
            <input
              required
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
        <p className="muted">
          {t('The people concerned read it, and the log of moderation shows it.')}
        </p>
        {act.error && (
          <p className="fault" role="alert">
            <Icon name="warning" /> <bdi>{cleanText(act.error.message)}</bdi>
          </p>
        )}
        {act.data && act.data.failed.length > 0 && (
          <NotDoneList failed={act.data.failed} count={each.length} nameOf={({ name }) => name} />
        )}
        <div className="buttons">
          {!act.data && (
            <button
              type="submit"
              className="danger"
              disabled={act.isPending || !reason.trim() || !isTyped}
            >
              {!act.isPending
                ? (decision.button ?? decision.title)
                : decision.each
                  ? progressText(doneCount, each.length)
                  : t('Working …')}
            </button>
          )}
          <button type="button" className="secondary" onClick={onClose}>
            {act.data ? t('Close') : t('Cancel')}
          </button>
        </div>
      </form>
    </dialog>
  )
}
