package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	openapi2 "github.com/google/gnostic-models/openapiv2"
	openapi3 "github.com/google/gnostic-models/openapiv3"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// types are those whose protobuf bodies are understood, by apiVersion and kind.
var types = map[string]func() protobufMessage{
	"v1 Namespace":     func() protobufMessage { return &core.Namespace{} },
	"v1 DeleteOptions": func() protobufMessage { return &metav1.DeleteOptions{} },
	"apiextensions.k8s.io/v1 CustomResourceDefinition": func() protobufMessage { return &apiextensions.CustomResourceDefinition{} },
	"v1 Status":                            func() protobufMessage { return &metav1.Status{} },
	"v1 APIGroup":                          func() protobufMessage { return &metav1.APIGroup{} },
	"v1 APIGroupList":                      func() protobufMessage { return &metav1.APIGroupList{} },
	"v1 APIResourceList":                   func() protobufMessage { return &metav1.APIResourceList{} },
	" APIVersions":                         func() protobufMessage { return &metav1.APIVersions{} },
	"meta.k8s.io/v1 PartialObjectMetadata": func() protobufMessage { return &metav1.PartialObjectMetadata{} },
	"meta.k8s.io/v1beta1 PartialObjectMetadata":     func() protobufMessage { return &metav1.PartialObjectMetadata{} },
	"meta.k8s.io/v1 PartialObjectMetadataList":      func() protobufMessage { return &metav1.PartialObjectMetadataList{} },
	"meta.k8s.io/v1beta1 PartialObjectMetadataList": func() protobufMessage { return &metav1.PartialObjectMetadataList{} },
	"apidiscovery.k8s.io/v2 APIGroupDiscoveryList":  func() protobufMessage { return &apidiscovery.APIGroupDiscoveryList{} },
}

// protobuf shows a body in Kubernetes' protobuf envelope: its type and, if that is known, what it says.
func (n *Normalizer) protobuf(step Step, body []byte) []string {
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(body[4:]); err != nil {
		return []string{fmt.Sprintf("protobuf that cannot be read: %v", err)}
	}
	lines := []string{fmt.Sprintf("protobuf of %s %s", envelope.APIVersion, envelope.Kind)}
	newMessage, known := types[envelope.APIVersion+" "+envelope.Kind]
	if !known {
		return lines
	}
	message := newMessage()
	if err := message.Unmarshal(envelope.Raw); err != nil {
		return append(lines, fmt.Sprintf("no %s: %v", envelope.Kind, err))
	}
	data, err := json.Marshal(message)
	if err != nil {
		return append(lines, err.Error())
	}
	return n.renderJSON(lines, step, data)
}

// protobufMessage is a type of Kubernetes that has a protobuf form.
type protobufMessage interface {
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// encodeProtobuf writes a JSON object of one of the types as a body in protobuf, as typed clients do.
func encodeProtobuf(object []byte) ([]byte, error) {
	var typeMeta runtime.TypeMeta
	if err := json.Unmarshal(object, &typeMeta); err != nil {
		return nil, err
	}
	newMessage, known := types[typeMeta.APIVersion+" "+typeMeta.Kind]
	if !known {
		return nil, fmt.Errorf("no protobuf form of %+v", typeMeta)
	}
	message := newMessage()
	if err := json.Unmarshal(object, message); err != nil {
		return nil, err
	}
	raw, err := message.Marshal()
	if err != nil {
		return nil, err
	}
	envelope := runtime.Unknown{TypeMeta: typeMeta, Raw: raw}
	data, err := envelope.Marshal()
	return append([]byte("k8s\x00"), data...), err
}

// openAPIDocument is an OpenAPI document in gnostic's protobuf.
type openAPIDocument interface {
	proto.Message
	ToRawInfo() *yaml.Node
}

// openAPI shows an OpenAPI document in protobuf as the same document in JSON.
func (n *Normalizer) openAPI(step Step, mediaType string, body []byte) []string {
	var document openAPIDocument = &openapi3.Document{}
	if strings.Contains(mediaType, ".spec.v2") {
		document = &openapi2.Document{}
	}
	var content any
	err := proto.Unmarshal(body, document)
	if err == nil {
		err = document.ToRawInfo().Decode(&content)
	}
	data, jsonErr := json.Marshal(content)
	if err = errors.Join(err, jsonErr); err != nil {
		return []string{fmt.Sprintf("no document of OpenAPI: %v", err)}
	}
	return n.renderJSON([]string{"a document of OpenAPI in protobuf"}, step, data)
}
