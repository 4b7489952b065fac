import { useState } from 'react'
import { cleanText } from '../../shared/text.ts'
import { useAct } from '../act/actor.ts'
import { LinkedText } from '../parts/cast-text.tsx'
import { useReadRules } from './own-channels.ts'

/** The rules of a channel, before the first post in it. */
export default function ReadRules({ id, rules }: { id: string; rules: string }) {
  const act = useAct()
  const keep = useReadRules()
  const [isBusy, setBusy] = useState(false)
  const accept = async () => {
    setBusy(true)
    await act((key) => keep(key, id, rules), { failed: 'That was not kept.' })
    setBusy(false)
  }
  return (
    <section className="channel-rules" aria-labelledby="channel-rules">
      <h2 id="channel-rules">
        Rules of <bdi>/{id}</bdi>
      </h2>
      <p dir="auto">
        <LinkedText text={cleanText(rules)} />
      </p>
      <button type="button" className="primary" disabled={isBusy} onClick={accept}>
        I have read them
      </button>
    </section>
  )
}
