package parity

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// protobuf shows a body in Kubernetes' protobuf envelope: its type, and of the types that custom resources are shown as what it says.
func (n *Normalizer) protobuf(body []byte) []string {
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(body[4:]); err != nil {
		return []string{fmt.Sprintf("protobuf that cannot be read: %v", err)}
	}
	lines := []string{fmt.Sprintf("protobuf of %s %s", envelope.APIVersion, envelope.Kind)}
	message, known := map[string]protobufMessage{
		"Status":                    &metav1.Status{},
		"PartialObjectMetadata":     &metav1.PartialObjectMetadata{},
		"PartialObjectMetadataList": &metav1.PartialObjectMetadataList{},
	}[envelope.Kind]
	if !known {
		return lines
	}
	if err := message.Unmarshal(envelope.Raw); err != nil {
		return append(lines, fmt.Sprintf("no %s: %v", envelope.Kind, err))
	}
	data, err := json.Marshal(message)
	if err != nil {
		return append(lines, err.Error())
	}
	return n.renderJSON(lines, Step{}, data)
}

// protobufMessage is a type whose bodies can be compared.
type protobufMessage interface{ Unmarshal(data []byte) error }
