import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{Er as t,br as n,tr as r}from"./first-BeA91kzo.js";import{T as i}from"./common-CsgmW1Sh.js";/* empty css                */var a=e(t(),1),o=n(),s=(e,t)=>`${r(1114,[`Recovery kit of @`,[`name`],` at `,[`host`],`
Made on `,[`toISOString`],`

`,[`map`],`

Whoever has these 12 words has the account. Keep them offline, and show them to nobody:
no helper, operator or app ever needs them.

To get back in: open `,[`origin`],`/join/sign-in and choose "12 words".
They also work in any Ethereum wallet (path m/44'/60'/0'/0/0).`],{name:t,host:location.host,toISOString:new Date().toISOString().slice(0,10),map:e.split(` `).map((e,t)=>`${String(t+1).padStart(2)}. ${e}`).join(`
`),origin:location.origin})} `;function c({words:e,name:t,onSaved:n}){let[c,l]=(0,a.useState)(!1),u=()=>{l(!0),n?.()};return(0,o.jsxs)(`div`,{className:`kit`,children:[(0,o.jsx)(`ol`,{className:`words`,children:e.split(` `).map((e,t)=>(0,o.jsx)(`li`,{children:e},t))}),(0,o.jsx)(i,{tone:`warn`,children:r(1875,`Whoever has these words has your account. Nobody here will ever ask you for them.`)}),(0,o.jsxs)(`p`,{className:`buttons`,children:[(0,o.jsx)(`button`,{type:`button`,className:`primary`,onClick:()=>{let n=URL.createObjectURL(new Blob([s(e,t)],{type:`text/plain`}));Object.assign(document.createElement(`a`),{href:n,download:`recovery-kit-${t}.txt`}).click(),setTimeout(()=>URL.revokeObjectURL(n),1e4),u()},children:r(355,`Download recovery kit`)}),(0,o.jsx)(`button`,{type:`button`,className:`secondary`,onClick:u,children:r(525,`I have written them down`)})]}),c&&(0,o.jsx)(i,{tone:`good`,children:r(1217,`Saved. Keep it in a safe place, not only on this device.`)})]})}export{c as t};