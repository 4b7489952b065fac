import type { ReactNode } from 'react'
import { t } from '../../../shared/messages.ts'
import { useFocus } from '../../../shared/page.tsx'
import type { MiniAppDetails } from '../calls.ts'
import type { AppHost } from './app-host.ts'
import type { Kind, Prompt } from './prompts.ts'

// What the prompts of an app are made of.

export type PromptOf<K extends Kind> = Extract<Prompt, { kind: K }>
export type PromptProps<K extends Kind> = {
  readonly host: AppHost
  readonly prompt: PromptOf<K>
  readonly app: MiniAppDetails | undefined
  /** Whether it may be answered with yes. */
  readonly isArmed: boolean
  readonly headingId: string
}

/** The heading of a prompt, which gets the focus: no key that was meant for the app presses a button. */
export function PromptHeading({ id, children }: { id: string; children: ReactNode }) {
  const heading = useFocus<HTMLHeadingElement>()
  return (
    <h2 id={id} ref={heading} tabIndex={-1}>
      {children}
    </h2>
  )
}

type ChoicesProps = {
  readonly yes: string
  readonly isArmed: boolean
  readonly isBusy?: boolean
  readonly onYes: () => void
  readonly onNo: () => void
}

export const Choices = ({ yes, isArmed, isBusy = false, onYes, onNo }: ChoicesProps) => (
  <p className="mini-app-choices">
    <button type="button" className="primary" disabled={!isArmed || isBusy} onClick={onYes}>
      {yes}
    </button>
    <button type="button" className="secondary" onClick={onNo}>
      {t('Cancel')}
    </button>
  </p>
)
