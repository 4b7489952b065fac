import { type ReactNode, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { explain } from '../../wallets/provider.ts'

/** Runs what the owner asks for, one at a time, and says how it went. */
export function useWork(): {
  readonly isBusy: boolean
  readonly run: (work: () => Promise<string>) => Promise<void>
  readonly said: ReactNode
} {
  const [isBusy, setBusy] = useState(false)
  const [told, setTold] = useState<{ text: string; isBad: boolean }>()
  const run = async (work: () => Promise<string>) => {
    setBusy(true)
    setTold(undefined)
    try {
      setTold({ text: await work(), isBad: false })
    } catch (error) {
      setTold({ text: explain(error), isBad: true })
    }
    setBusy(false)
  }
  const said = isBusy ? (
    <Busy>{t('One moment …')}</Busy>
  ) : (
    told && <Notice tone={told.isBad ? 'bad' : 'good'}>{told.text}</Notice>
  )
  return { isBusy, run, said }
}
