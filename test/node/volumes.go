package node

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// How many claims can be bound; a claim that was deleted frees none.
const volumeCount = 4

// makeVolumes makes what a cluster's storage provides on demand: volumes without a class, for claims without one. Local volumes,
// since those are given to a pod's fsGroup.
func (c *Cluster) makeVolumes(ctx context.Context) error {
	for i := range volumeCount {
		name := fmt.Sprintf("volume-%d", i)
		folder := c.file("volumes/" + name)
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		_, err := c.core.CoreV1().PersistentVolumes().Create(ctx, localVolume(name, folder), metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

func localVolume(name, folder string) *corev1.PersistentVolume {
	here := corev1.NodeSelectorRequirement{
		Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{nodeName},
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: folder}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{here}}},
			}},
		},
	}
}
