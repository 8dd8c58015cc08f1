// SPDX-License-Identifier: Apache-2.0
// The gallery of scenes, with pictures.
export async function showGallery(token, open) {
  const answer = await fetch(`gallery?token=${encodeURIComponent(token)}`);
  if (!answer.ok) return;
  const { scenes, directory } = await answer.json();
  const cards = scenes.map((scene) => {
    const item = document.createElement('li');
    const card = document.createElement('button');
    card.type = 'button';
    card.className = 'card';
    card.dataset.scene = scene.id;
    card.disabled = !scene.ok;
    const picture = document.createElement(scene.picture ? 'img' : 'span');
    if (scene.picture) Object.assign(picture, { src: `picture/${scene.id}?token=${encodeURIComponent(token)}`, alt: '', loading: 'lazy' });
    else picture.className = 'blank';
    const text = document.createElement('div');
    const name = document.createElement('strong');
    const description = document.createElement('span');
    name.textContent = scene.name;
    description.textContent = scene.description;
    description.className = 'quiet';
    text.append(name, description);
    card.append(picture, text);
    card.addEventListener('click', () => open(scene.id));
    item.append(card);
    return item;
  });
  document.getElementById('cards').replaceChildren(...cards);
  document.getElementById('gallery-note').textContent = scenes.length
    ? `Scene files: ${directory}`
    : 'No scenes found; start palpate view with a scene file, or with --scenes DIR.';
}
