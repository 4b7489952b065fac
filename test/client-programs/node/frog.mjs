// frog answers a press on a frame after a hub has verified it.

import { Frog } from 'frog'

const world = JSON.parse(process.argv[2])
const app = new Frog({ title: 'Test', hub: { apiUrl: world.hub }, verify: true })
app.frame('/', (c) => {
  const { fid, buttonIndex } = c.frameData ?? {}
  return c.res({ image: `https://frame.example/${fid}-${buttonIndex}.png` })
})
const answers = []
for (const frame of world.frames) {
  const response = await app.fetch(
    new Request('https://frame.example/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(frame),
    }),
  )
  const image = /frame\.example\/(\d+-\d+)\.png/.exec(await response.text())?.[1]
  answers.push({ ok: response.ok, image })
}
console.log(JSON.stringify(answers))
