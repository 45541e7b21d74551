// Uses a server of widgets as a program written with the official JavaScript client does; TestOtherLanguages runs it.
//
//   node widgets.mjs KUBECONFIG GROUP NAMESPACE
//
// It runs in the folder of the client library. Prints a line "ok WHAT" for each part; ends with a stack at the first thing
// that is not as it should be.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The library lies in the folder where this runs, not beside this file.
const k8s = await import(createRequire(join(process.cwd(), 'package.json')).resolve('@kubernetes/client-node'));

const [kubeconfig, group, namespace] = process.argv.slice(2);
const place = { group, version: 'v1', namespace, plural: 'widgets' };

const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const objects = config.makeApiClient(k8s.CustomObjectsApi);
const generic = k8s.KubernetesObjectApi.makeApiClient(config);

const widget = (name, color, size) => ({
  apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name, namespace, labels: { team: color } }, spec: { color, size },
});

const refused = async (code, reason, call) => {
  const error = await call.then(() => assert.fail(`${code} ${reason}, not a success`), (problem) => problem);
  const status = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
  assert.deepEqual([error.code, status.reason], [code, reason]);
};

async function createAndRead() {
  const made = await objects.createNamespacedCustomObject({ ...place, body: widget('a', 'red', 1) });
  assert.equal(made.metadata.generation, 1);
  assert.equal(made.spec.replicas, 1);
  assert.deepEqual(await objects.getNamespacedCustomObject({ ...place, name: 'a' }), made);
  await refused(409, 'AlreadyExists', objects.createNamespacedCustomObject({ ...place, body: widget('a', 'red', 1) }));
  await refused(404, 'NotFound', objects.getNamespacedCustomObject({ ...place, name: 'missing' }));
  await refused(422, 'Invalid', objects.createNamespacedCustomObject({ ...place, body: widget('b', 'pink', 1) }));
}

// The generic client finds the resource by discovery, and sends merge patches.
async function discoverAndChange() {
  await generic.create(widget('b', 'green', 2));
  const changed = await generic.patch({ ...widget('b', 'green', 3) }, undefined, undefined, undefined, undefined, k8s.PatchStrategy.MergePatch);
  assert.equal(changed.spec.size, 3);
  const read = await generic.read({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'b', namespace } });
  assert.equal(read.metadata.resourceVersion, changed.metadata.resourceVersion);
  const listed = await objects.listNamespacedCustomObject({ ...place, fieldSelector: 'spec.color=green', labelSelector: 'team=green' });
  assert.deepEqual(listed.items.map((item) => item.metadata.name), ['b']);
}

// An informer lists, watches, and starts anew if it has to.
async function inform() {
  const seen = [];
  let enough;
  const done = new Promise((resolve) => { enough = resolve; });
  const informer = k8s.makeInformer(config, `/apis/${group}/v1/namespaces/${namespace}/widgets`,
    () => objects.listNamespacedCustomObject(place));
  for (const type of ['add', 'update', 'delete']) {
    informer.on(type, (object) => {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.includes('delete c')) enough();
    });
  }
  await informer.start();
  await objects.createNamespacedCustomObject({ ...place, body: widget('c', 'blue', 1) });
  const present = await objects.getNamespacedCustomObject({ ...place, name: 'c' });
  await objects.replaceNamespacedCustomObject({ ...place, name: 'c', body: { ...present, spec: { color: 'blue', size: 2 } } });
  await objects.deleteNamespacedCustomObject({ ...place, name: 'c' });
  await Promise.race([done, new Promise((_, fail) => { setTimeout(fail, 30_000, new Error(`only ${seen}`)).unref(); })]);
  await informer.stop();
  assert.deepEqual(seen.filter((line) => line.endsWith(' c')), ['add c', 'update c', 'delete c']);
  assert.deepEqual(seen.filter((line) => !line.endsWith(' c')), ['add a', 'add b']);
}

async function remove() {
  await objects.deleteCollectionNamespacedCustomObject(place);
  assert.deepEqual((await objects.listNamespacedCustomObject(place)).items, []);
}

for (const part of [createAndRead, discoverAndChange, inform, remove]) {
  await part();
  console.log('ok', part.name);
}
process.exit(0); // the informer's connection may still be closing
